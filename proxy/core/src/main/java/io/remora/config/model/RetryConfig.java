package io.remora.config.model;

import java.util.List;

/**
 * The conditions and the bounds of further attempts at a request.
 *
 * @param attempts of one request at the most, the first included
 * @param statuses of responses that are dropped in favour of another attempt
 * @param grpc statuses of gRPC, by name, of calls that are made again whose response is nothing but that
 * @param bodyBytes that are kept of a body, so that it can be sent again
 * @param backOffNs the longest wait before the second attempt; it doubles with each further one
 */
public record RetryConfig(int attempts, List<Integer> statuses, List<String> grpc, int bodyBytes, long backOffNs) {}
