package io.remora.http2;

import io.remora.transport.NanoClock;

/**
 * The credit that a peer has for frames by which it answers ours. Each DATA or HEADERS frame that is written to it
 * earns it one PING, as gRPC estimates the bandwidth by one for each read. Each DATA frame earns some WINDOW_UPDATEs,
 * and each PING its answer.
 *
 * <p>Owner: one connection. Cost: two accounts; the clock is the time that the loop has read already. Bounds: the
 * credit of 200 frames; none of it outlives its window.
 */
final class PeerFrames {
    private static final int MOST_FRAMES = 200;
    private static final int MOST_FRAME_OCTETS = 1 << 14;
    private static final int PER_FRAME_OF_CLIENT = 10;
    /** WINDOW_UPDATEs for one frame: of the stream and of the connection. */
    private static final int PER_FRAME_OF_ENDPOINT = 2;

    private static final int OCTETS_AN_UPDATE = 256;
    /** A bound above the number of our own PINGs that are ever under way at once. */
    private static final int MOST_ANSWERS = 4;

    private final int updatesPerFrame;
    private final int octetsPerUpdate;
    private final Account pings;
    private final Account updates;
    private NanoClock clock;
    private int answers;

    private PeerFrames(NanoClock clock, long pingsNs, long updatesNs, int updatesPerFrame, int octetsPerUpdate) {
        this.clock = clock;
        this.updatesPerFrame = updatesPerFrame;
        this.octetsPerUpdate = octetsPerUpdate;
        long nowNs = clock.nowNs();
        this.pings = new Account(MOST_FRAMES, pingsNs / 2, nowNs);
        int mostUpdates = MOST_FRAMES * Math.max(updatesPerFrame, MOST_FRAME_OCTETS / octetsPerUpdate);
        this.updates = new Account(mostUpdates, updatesNs / 2, nowNs);
    }

    /** Ten WINDOW_UPDATEs for each DATA frame. */
    static PeerFrames ofClient(NanoClock clock, long windowNs) {
        return new PeerFrames(clock, windowNs, windowNs, PER_FRAME_OF_CLIENT, Integer.MAX_VALUE);
    }

    /**
     * One WINDOW_UPDATE for each 256 octets of content, and two for each DATA frame.
     *
     * @param updatesNs how long those last: an endpoint may pause, and then read all that waits at once
     */
    static PeerFrames ofEndpoint(NanoClock clock, long pingsNs, long updatesNs) {
        return new PeerFrames(clock, pingsNs, updatesNs, PER_FRAME_OF_ENDPOINT, OCTETS_AN_UPDATE);
    }

    /** Takes the time from this clock from now on. */
    void clock(NanoClock other) {
        clock = other;
    }

    void headersWritten() {
        pings.earn(1, clock.nowNs());
    }

    /** Earns for a number of DATA frames, with so much content together. */
    void dataWritten(int frames, int octets) {
        long nowNs = clock.nowNs();
        pings.earn(frames, nowNs);
        updates.earn(Math.max(frames * updatesPerFrame, octets / octetsPerUpdate), nowNs);
    }

    /** Counts a PING of our own, not an answer to one. */
    void pingWritten() {
        answers = Math.min(MOST_ANSWERS, answers + 1);
    }

    /** Takes the price of a PING, if there is as much. */
    boolean payPing() {
        return pings.pay(clock.nowNs());
    }

    /** Takes the price of a WINDOW_UPDATE, if there is as much. */
    boolean payUpdate() {
        return updates.pay(clock.nowNs());
    }

    /** Takes the price of an answer to a PING, if there is one to be answered. */
    boolean payAnswer() {
        if (answers == 0) {
            return false;
        }
        answers--;
        return true;
    }

    /** Credit for frames of one kind, by halves of a window, so that a burst is paid for though a window ends in it. */
    private static final class Account {
        private final int most;
        private final long halfNs;
        private long sinceNs;
        private int now;
        /** Credit left of the half before this one. */
        private int earlier;

        Account(int most, long halfNs, long nowNs) {
            this.most = most;
            this.halfNs = halfNs;
            this.sinceNs = nowNs;
        }

        void earn(int count, long nowNs) {
            roll(nowNs);
            now = Math.min(most - earlier, now + count);
        }

        boolean pay(long nowNs) {
            roll(nowNs);
            if (earlier > 0) {
                earlier--;
            } else if (now > 0) {
                now--;
            } else {
                return false;
            }
            return true;
        }

        private void roll(long nowNs) {
            long passedNs = nowNs - sinceNs;
            if (passedNs >= halfNs) {
                boolean next = passedNs < 2 * halfNs;
                earlier = next ? now : 0;
                now = 0;
                sinceNs = next ? sinceNs + halfNs : nowNs;
            }
        }
    }
}
