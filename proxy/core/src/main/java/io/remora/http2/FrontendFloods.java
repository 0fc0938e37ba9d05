package io.remora.http2;

import io.remora.config.Http2Config;
import io.remora.transport.Loop;
import org.jspecify.annotations.Nullable;

/**
 * Counts what a client does that costs it little.
 *
 * <p>Owner: one connection. Bounds: the listener's {@code http2.floods}, over ten seconds each.
 */
final class FrontendFloods {
    private static final long WINDOW_NS = 10_000_000_000L;
    /** So many WINDOW_UPDATE frames are due to each DATA frame that was sent. */
    private static final int UPDATES_PER_DATA = 10;

    private final Http2Config.Floods most;
    private final Loop loop;
    private long sinceNs;
    private int resets;
    private int controlFrames;
    private int emptyFrames;
    private long updatesDue = UPDATES_PER_DATA;

    FrontendFloods(Http2Config.Floods most, Loop loop) {
        this.most = most;
        this.loop = loop;
        this.sinceNs = loop.nowNs();
    }

    /** A stream was reset; tells what is too much, null for nothing. */
    @Nullable
    Abuse reset() {
        roll();
        return ++resets > most.resets() ? Abuse.RESETS : null;
    }

    /** A frame has come that brings no request on. */
    @Nullable
    Abuse controlFrame() {
        roll();
        return ++controlFrames > most.controlFrames() ? Abuse.CONTROL_FRAMES : null;
    }

    @Nullable
    Abuse windowUpdate() {
        if (updatesDue > 0) {
            updatesDue--;
            return null;
        }
        return controlFrame();
    }

    /** A DATA frame has come that has no content and ends nothing. */
    @Nullable
    Abuse emptyFrame() {
        roll();
        return ++emptyFrames > most.emptyFrames() ? Abuse.EMPTY_FRAMES : null;
    }

    /** So many CONTINUATION frames have come of one header section. */
    @Nullable
    Abuse continuations(int count) {
        return count > most.continuations() ? Abuse.CONTINUATIONS : null;
    }

    /** A DATA frame has been sent. */
    void dataSent() {
        updatesDue += UPDATES_PER_DATA;
    }

    private void roll() {
        long nowNs = loop.nowNs();
        if (nowNs - sinceNs >= WINDOW_NS) {
            sinceNs = nowNs;
            resets = 0;
            controlFrames = 0;
            emptyFrames = 0;
        }
    }
}
