package io.remora.config.model;

import org.jspecify.annotations.Nullable;

/**
 * The listener for probes, on any address: {@code /live}, {@code /ready}, and {@code /metrics} where that is asked for.
 *
 * @param socket of the file that {@code address} is, null for a port
 * @param metrics whether it serves {@code /metrics}
 */
public record HealthConfig(Address address, @Nullable SocketConfig socket, boolean metrics) {
    /** Makes a health server on a port. */
    public HealthConfig(Address address) {
        this(address, null, false);
    }
}
