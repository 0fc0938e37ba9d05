package io.remora.http2;

import io.remora.http2.config.Http2Config;
import io.remora.transport.NanoClock;
import org.jspecify.annotations.Nullable;

/**
 * Counts of frames and streams that cost a client little.
 *
 * <p>Owner: one connection. Bounds: the listener's {@code http2.floods}, over ten seconds each.
 */
final class FrontendFloods {
    private static final long WINDOW_NS = 10_000_000_000L;
    /** Kinds of counts: streams that have ended by a reset or in order, and what is bounded. */
    private static final int ENDED = 0;

    private static final int RESETS = 1;
    private static final int CONTROL_FRAMES = 2;
    private static final int EMPTY_FRAMES = 3;
    private static final int KINDS = 4;

    /** Age below which the reset of a stream counts as wasted work. */
    private static final long YOUNG_NS = 1_000_000_000L;

    private final Http2Config.Floods most;
    private final NanoClock clock;
    private final PeerFrames credit;
    private final FloodWindow counts;
    private int open;
    /** The count of the kind whose bound was passed last. */
    private int tooMany;

    /**
     * @param clock the loop's last reading, so that no frame costs one
     */
    FrontendFloods(Http2Config.Floods most, NanoClock clock) {
        this.most = most;
        this.clock = clock;
        this.credit = PeerFrames.ofClient(clock, WINDOW_NS);
        this.counts = new FloodWindow(KINDS, WINDOW_NS, clock);
    }

    /** Credit that frames which are written to the client earn it. */
    PeerFrames credit() {
        return credit;
    }

    void opened() {
        open++;
    }

    /** A stream has ended, by a reset or in order. */
    void ended() {
        open--;
        counts.add(ENDED);
    }

    /** A stream was reset that began at this time; returns the bound that is passed, null for none. */
    @Nullable
    Abuse reset(long begunNs) {
        if (clock.nowNs() - begunNs >= YOUNG_NS) {
            return null;
        }
        int resets = counts.add(RESETS);
        // a client that hedges every call resets just half of its streams
        return 2 * resets > counts.count(ENDED) + open ? judge(Abuse.RESETS, resets, most.resets()) : null;
    }

    /** A frame has come that brings no request on. */
    @Nullable
    Abuse controlFrame() {
        return judge(Abuse.CONTROL_FRAMES, counts.add(CONTROL_FRAMES), most.controlFrames());
    }

    /** Returns whether the client has earned a PING of its own, or has one of ours to answer, and takes the price. */
    boolean isPaid(boolean answer) {
        return answer ? credit.payAnswer() : credit.payPing();
    }

    @Nullable
    Abuse windowUpdate() {
        return credit.payUpdate() ? null : controlFrame();
    }

    /** A DATA frame has come that has no content and ends nothing. */
    @Nullable
    Abuse emptyFrame() {
        return judge(Abuse.EMPTY_FRAMES, counts.add(EMPTY_FRAMES), most.emptyFrames());
    }

    /** So many CONTINUATION frames have come of one header section. */
    @Nullable
    Abuse continuations(int count) {
        return judge(Abuse.CONTINUATIONS, count, most.continuations());
    }

    private @Nullable Abuse judge(Abuse kind, int count, int bound) {
        if (count <= bound) {
            return null;
        }
        tooMany = count;
        return kind;
    }

    /** Returns the count of the kind whose bound was passed last, 0 for none. */
    int tooMany() {
        return tooMany;
    }

    /** A bound was passed: from here on all counts begin again, for the second one. */
    void passed() {
        counts.pass();
    }

    /** Returns whether frames that the client has not earned are dropped. */
    boolean isPassed() {
        return counts.isPassed();
    }
}
