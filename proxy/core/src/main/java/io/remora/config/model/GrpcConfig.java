package io.remora.config.model;

import java.util.List;

/**
 * What a listener knows of calls of gRPC beyond that they are some.
 *
 * @param methods that are counted each by itself, as paths
 */
public record GrpcConfig(List<String> methods) {}
