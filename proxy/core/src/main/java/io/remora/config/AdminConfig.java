package io.remora.config;

/**
 * The operator's listener.
 *
 * @param allowRemote whether an address outside loopback may be bound
 */
public record AdminConfig(Address address, boolean allowRemote) {}
