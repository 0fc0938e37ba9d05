package io.remora.http2;

import io.remora.config.Http2Config;
import io.remora.transport.Loop;
import io.remora.transport.NanoClock;
import org.jspecify.annotations.Nullable;

/**
 * The counts of what a client does that costs it little.
 *
 * <p>Owner: one connection. Bounds: the listener's {@code http2.floods}, over ten seconds each.
 */
final class FrontendFloods {
    private static final long WINDOW_NS = 10_000_000_000L;
    /** Work for an older stream was wanted for a while. */
    private static final long YOUNG_NS = 1_000_000_000L;

    private final Http2Config.Floods most;
    private final Loop loop;
    private final PeerFrames credit = PeerFrames.ofClient(NanoClock.SYSTEM, WINDOW_NS);
    private long sinceNs;
    private int streams;
    private int resets;
    private int controlFrames;
    private int emptyFrames;
    private boolean passed;
    /** How many there were of what was too much. */
    private int tooMany;

    FrontendFloods(Http2Config.Floods most, Loop loop) {
        this.most = most;
        this.loop = loop;
        this.sinceNs = loop.nowNs();
    }

    /** What the frames that are written to the client earn it. */
    PeerFrames credit() {
        return credit;
    }

    /** A stream was opened, at a time that the loop has read. */
    void opened(long nowNs) {
        roll(nowNs);
        streams++;
    }

    /** A stream was reset that began at this time; tells what is too much, null for nothing. */
    @Nullable
    Abuse reset(long begunNs) {
        long nowNs = loop.nowNs();
        if (nowNs - begunNs >= YOUNG_NS) {
            return null;
        }
        roll(nowNs);
        resets++;
        // a client that cancels a call in ten throws no work away that the others do not pay for
        return 2 * resets >= streams ? judge(Abuse.RESETS, resets, most.resets()) : null;
    }

    /** A frame has come that brings no request on. */
    @Nullable
    Abuse controlFrame() {
        roll(loop.nowNs());
        return judge(Abuse.CONTROL_FRAMES, ++controlFrames, most.controlFrames());
    }

    /** Whether a PING is one that the client has earned. */
    boolean isPaid() {
        return credit.payPing();
    }

    @Nullable
    Abuse windowUpdate() {
        return credit.payUpdate() ? null : controlFrame();
    }

    /** A DATA frame has come that has no content and ends nothing. */
    @Nullable
    Abuse emptyFrame() {
        roll(loop.nowNs());
        return judge(Abuse.EMPTY_FRAMES, ++emptyFrames, most.emptyFrames());
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

    /** How many there were of what was too much last. */
    int tooMany() {
        return tooMany;
    }

    /** A bound was passed: from here on all counts begin again, for the second one. */
    void passed() {
        passed = true;
        begin(loop.nowNs());
    }

    /** Whether frames that the client has not earned are dropped. */
    boolean isPassed() {
        return passed;
    }

    private void roll(long nowNs) {
        if (nowNs - sinceNs >= WINDOW_NS) {
            begin(nowNs);
        }
    }

    private void begin(long nowNs) {
        sinceNs = nowNs;
        streams = 0;
        resets = 0;
        controlFrames = 0;
        emptyFrames = 0;
    }
}
