package io.remora.config.model;

import org.jspecify.annotations.Nullable;

/**
 * The operator's listener.
 *
 * @param allowRemote whether an address outside loopback may be bound
 * @param tls how its connections are protected, always strict; null for not at all
 * @param socket of the file that {@code address} is, null for a port
 * @param acts whether the dashboard has buttons that change something
 */
public record AdminConfig(
        Address address,
        boolean allowRemote,
        @Nullable ListenerSecurity tls,
        @Nullable SocketConfig socket,
        boolean acts) {
    /** A further one closes the oldest of the address that has most. */
    public static final int MAX_CONNECTIONS = 32;

    /** Makes an admin server on a port. */
    public AdminConfig(Address address, boolean allowRemote, @Nullable ListenerSecurity tls) {
        this(address, allowRemote, tls, null, false);
    }
}
