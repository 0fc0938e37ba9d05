package io.remora.config.model;

import org.jspecify.annotations.Nullable;

/**
 * The times that a listener waits for its clients.
 *
 * @param headerReadNs from a request's first byte to the end of its header section; beyond it 408
 * @param bodyIdleNs without a byte moving while a body is under way, in either direction
 * @param idleNs a keep-alive connection without a request
 * @param maxAgeNs for which a connection is used; {@link Limits#UNLIMITED} for no bound
 * @param tcpKeepAlive whether the kernel probes a silent client
 * @param callerHeader by which clients say how long they wait; null for none
 */
public record FrontendTimeouts(
        long headerReadNs,
        long bodyIdleNs,
        long idleNs,
        long maxAgeNs,
        boolean tcpKeepAlive,
        @Nullable String callerHeader) {
    /** Timeouts without questions to clients: how long they wait, and if they are still there. */
    public FrontendTimeouts(long headerReadNs, long bodyIdleNs, long idleNs, long maxAgeNs) {
        this(headerReadNs, bodyIdleNs, idleNs, maxAgeNs, false, null);
    }
}
