package io.remora.config.model;

import java.util.List;

/**
 * The clients that are let in, by their addresses.
 *
 * @param allow networks; empty for all that are not denied
 * @param deny networks, which win over those that are allowed
 */
public record ClientsConfig(List<String> allow, List<String> deny) {}
