package io.remora.http2;

import java.util.ArrayDeque;

/**
 * Tunnels of one connection that are over, and whose last content the endpoint has not taken yet.
 *
 * <p>Owner: one connection, which has none before the first. Bounds: {@link TunnelTail}'s, of each.
 */
final class LingeringTunnels {
    private final ArrayDeque<Http2BackendRequest> tunnels = new ArrayDeque<>(2);

    void add(Http2BackendRequest tunnel) {
        tunnels.add(tunnel);
    }

    /** Ends the tunnels whose content has left, as windows may have allowed it. */
    void flushed() {
        for (int left = tunnels.size(); left > 0; left--) {
            Http2BackendRequest one = tunnels.poll();
            if (one != null && !one.endIfSent()) {
                tunnels.add(one);
            }
        }
    }
}
