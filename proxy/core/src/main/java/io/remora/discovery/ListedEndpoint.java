package io.remora.discovery;

import io.remora.config.model.Address;

/**
 * An endpoint as a file lists it. Immutable.
 *
 * @param address an IPv4 or IPv6 literal and a port, or a Unix socket
 * @param weight its share of the requests relative to the others', 0 for none
 * @param zone empty for none
 * @param priority 0 for those that are used first
 */
public record ListedEndpoint(Address address, int weight, String zone, int priority) {}
