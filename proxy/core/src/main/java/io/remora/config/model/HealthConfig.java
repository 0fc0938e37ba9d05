package io.remora.config.model;

import org.jspecify.annotations.Nullable;

/**
 * The listener that answers {@code /live} and {@code /ready} and nothing else, on any address.
 *
 * @param socket of the file that {@code address} is, null for a port
 */
public record HealthConfig(Address address, @Nullable SocketConfig socket) {
    /** Makes a health server on a port. */
    public HealthConfig(Address address) {
        this(address, null);
    }
}
