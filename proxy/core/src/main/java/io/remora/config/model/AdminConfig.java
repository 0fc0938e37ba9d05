package io.remora.config.model;

import org.jspecify.annotations.Nullable;

/**
 * The operator's listener.
 *
 * @param allowRemote whether an address outside loopback may be bound
 * @param tls how its connections are protected, always strict; null for not at all
 * @param socket of the file that {@code address} is, null for a port
 * @param permissions of its clients, null for those that every client has
 */
public record AdminConfig(
        Address address,
        boolean allowRemote,
        @Nullable ListenerSecurity tls,
        @Nullable SocketConfig socket,
        @Nullable AdminPermissions permissions) {
    /** A further one closes the oldest of the address that has most. */
    public static final int MAX_CONNECTIONS = 32;

    /** Makes an admin server on a port. */
    public AdminConfig(Address address, boolean allowRemote, @Nullable ListenerSecurity tls) {
        this(address, allowRemote, tls, null, null);
    }

    /** Returns whether the dashboard has buttons that change something. */
    public boolean acts() {
        return permissions != null && permissions.acts();
    }

    /** Returns whether clients may look inside the process. */
    public boolean profile() {
        return permissions != null && permissions.profile();
    }

    /** Returns the directory of the heap dumps that clients may take; null where they may not. */
    public @Nullable String heapDump() {
        return permissions == null ? null : permissions.heapDump();
    }

    /** Returns whether each client proves who it is, by a certificate or by the permissions of a Unix socket. */
    public boolean provesClients() {
        return address.isUnix() || (tls != null && tls.requiresCertificates());
    }

    /**
     * Returns the same permissions on another address, which is a port of loopback without TLS. Heap dumps are not among
     * them: every container of a pod reaches this port.
     */
    public AdminConfig at(Address other) {
        boolean permits = acts() || profile();
        return new AdminConfig(
                other, false, null, null, permits ? new AdminPermissions(acts(), profile(), null) : null);
    }
}
