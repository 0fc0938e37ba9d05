package io.remora.config.model;

import org.jspecify.annotations.Nullable;

/**
 * The operator's listener.
 *
 * @param allowRemote whether an address outside loopback may be bound
 * @param tls how its connections are protected, always strict; null for not at all
 * @param socket of the file that {@code address} is, null for a port
 * @param acts whether the dashboard has buttons that change something
 * @param profile whether its clients may look inside the process
 * @param heapDump directory of the heap dumps that its clients may take; null where they may not
 */
public record AdminConfig(
        Address address,
        boolean allowRemote,
        @Nullable ListenerSecurity tls,
        @Nullable SocketConfig socket,
        boolean acts,
        boolean profile,
        @Nullable String heapDump) {
    /** A further one closes the oldest of the address that has most. */
    public static final int MAX_CONNECTIONS = 32;

    /** Makes an admin server on a port. */
    public AdminConfig(Address address, boolean allowRemote, @Nullable ListenerSecurity tls) {
        this(address, allowRemote, tls, null, false, false, null);
    }

    /** Returns the same permissions on another address, which is a port of loopback without TLS. */
    public AdminConfig at(Address other) {
        return new AdminConfig(other, false, null, null, acts, profile, heapDump);
    }
}
