package io.remora.http2;

import io.remora.exchange.Exchange;
import io.remora.exchange.Pace;
import io.remora.memory.LoopBudget;
import org.jspecify.annotations.Nullable;

/**
 * What one stream holds of its loop's memory: what its exchange was granted, and then, while a response that is over waits for its
 * client, what that keeps.
 *
 * <p>Owner: one stream. Bounds: one grant.
 */
final class StreamMemory {
    private final LoopBudget budget;
    private final FrontendOutput output;
    /** What its buffers may hold, 0 for nothing yet. */
    private int granted;
    /** Of the finished exchange, while what it wrote waits. */
    private int kept;
    /** Bytes of the heap that go back with it. */
    private int keptHeld;
    /** How it moves, once somebody has asked. */
    private @Nullable Pace pace;

    StreamMemory(LoopBudget budget, FrontendOutput output) {
        this.budget = budget;
        this.output = output;
    }

    int granted() {
        return granted;
    }

    /**
     * None of its buffers is to hold more.
     *
     * @param buffer as the configuration has it
     */
    void bound(int bytes, int buffer) {
        granted = bytes;
        output.mark(Math.min(buffer, budget.queued(bytes)));
    }

    // ---- a grant that outlasts its exchange

    /** Keeps what an exchange was granted, and held beyond that, until its response has left; tells whether it does. */
    boolean keep(int grant, int held) {
        boolean waits = output.pending() > 0;
        if (waits) {
            kept = grant;
            keptHeld = held;
        }
        return waits;
    }

    boolean isKeeping() {
        return kept > 0;
    }

    /** Bytes of the heap that are kept with the grant. */
    int keptHeld() {
        return keptHeld;
    }

    void giveBack() {
        if (kept > 0) {
            budget.giveBack(kept, keptHeld);
            kept = 0;
            keptHeld = 0;
        }
    }

    // ---- what it weighs when memory is short

    long holds(@Nullable Exchange current) {
        if (current != null) {
            return current.grant().reservedBytes();
        }
        return kept == 0 ? 0 : budget.reserved(kept);
    }

    /**
     * As {@link io.remora.transport.Drainable#burden}.
     *
     * @param sending whether the client is to go on sending the request of {@code current}
     */
    long burden(@Nullable Exchange current, boolean sending, long nowNs) {
        long held = holds(current);
        if (held == 0 || !sending && output.pending() == 0) {
            pace = null;
            return 0;
        }
        if (pace == null) {
            pace = new Pace();
        }
        long moved = current == null ? output.moved() : current.grant().moved() - output.pending();
        return pace.slowness(moved, nowNs) * (held >> Pace.HOLDS_SHIFT);
    }

    /** It is cut for what it holds. */
    void cut() {
        budget.cut();
    }
}
