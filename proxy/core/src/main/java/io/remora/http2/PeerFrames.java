package io.remora.http2;

import io.remora.transport.NanoClock;

/**
 * The credit that a peer has for frames by which it answers ours: each DATA or HEADERS frame that is written to it earns it one
 * PING, as gRPC estimates the bandwidth by one for each read, and each DATA frame some WINDOW_UPDATEs.
 *
 * <p>Owner: one connection. Cost: two clock reads a response. Bounds: what 200 frames earn; none of it outlives the window.
 */
final class PeerFrames {
    private static final int MOST_FRAMES = 200;
    private static final int MOST_FRAME_OCTETS = 1 << 14;
    private static final int PER_FRAME_OF_CLIENT = 10;
    /** Of the stream and of the connection. */
    private static final int PER_FRAME_OF_ENDPOINT = 2;

    private static final int OCTETS_AN_UPDATE = 256;

    private final NanoClock clock;
    private final long halfNs;
    private final int updatesPerFrame;
    private final int octetsPerUpdate;
    private final int mostUpdates;
    private long sinceNs;
    private int pings;
    private int updates;
    /** Of the half of a window before this one. */
    private int earlierPings;

    private int earlierUpdates;

    PeerFrames(NanoClock clock, long windowNs, int updatesPerFrame, int octetsPerUpdate) {
        this.clock = clock;
        this.halfNs = windowNs / 2;
        this.updatesPerFrame = updatesPerFrame;
        this.octetsPerUpdate = octetsPerUpdate;
        this.mostUpdates = MOST_FRAMES * Math.max(updatesPerFrame, MOST_FRAME_OCTETS / octetsPerUpdate);
        this.sinceNs = clock.nowNs();
    }

    /** Ten WINDOW_UPDATEs for each DATA frame. */
    static PeerFrames ofClient(NanoClock clock, long windowNs) {
        return new PeerFrames(clock, windowNs, PER_FRAME_OF_CLIENT, Integer.MAX_VALUE);
    }

    /** One WINDOW_UPDATE for each 256 octets of content, and two for each DATA frame. */
    static PeerFrames ofEndpoint(NanoClock clock, long windowNs) {
        return new PeerFrames(clock, windowNs, PER_FRAME_OF_ENDPOINT, OCTETS_AN_UPDATE);
    }

    void headersWritten() {
        roll();
        pings = Math.min(MOST_FRAMES, pings + 1);
    }

    /** So many DATA frames, with so much content together. */
    void dataWritten(int frames, int octets) {
        roll();
        pings = Math.min(MOST_FRAMES, pings + frames);
        updates = Math.min(mostUpdates, updates + Math.max(frames * updatesPerFrame, octets / octetsPerUpdate));
    }

    /** Whether a PING is paid for. */
    boolean payPing() {
        roll();
        if (earlierPings > 0) {
            earlierPings--;
        } else if (pings > 0) {
            pings--;
        } else {
            return false;
        }
        return true;
    }

    /** Whether a WINDOW_UPDATE is paid for. */
    boolean payUpdate() {
        roll();
        if (earlierUpdates > 0) {
            earlierUpdates--;
        } else if (updates > 0) {
            updates--;
        } else {
            return false;
        }
        return true;
    }

    // by halves, so that what answers a burst is paid for though a window ends in it
    private void roll() {
        long nowNs = clock.nowNs();
        long passedNs = nowNs - sinceNs;
        if (passedNs >= halfNs) {
            boolean next = passedNs < 2 * halfNs;
            earlierPings = next ? pings : 0;
            earlierUpdates = next ? updates : 0;
            pings = 0;
            updates = 0;
            sinceNs = next ? sinceNs + halfNs : nowNs;
        }
    }
}
