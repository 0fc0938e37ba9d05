package io.remora.exchange;

import io.remora.memory.LoopBudget;
import io.remora.transport.Unsent;
import org.jspecify.annotations.Nullable;

/**
 * The loop's memory that a client's connection holds, or one of its streams: the grant of the exchange in progress bounds its buffers, and
 * that of a finished one is kept until the response has left.
 *
 * <p>Owner: one connection. Bounds: one grant that is kept; a second one goes back at once.
 */
public final class FrontendMemory {
    private final LoopBudget budget;
    private final Unsent unsent;
    /** Grant of a finished exchange whose response has not left, 0 for none. */
    private int kept;
    /** Bytes of the heap that go back with it. */
    private int keptHeld;
    /** Pace of the exchange in progress, once it was needed. */
    private @Nullable Pace pace;

    public FrontendMemory(LoopBudget budget, Unsent unsent) {
        this.budget = budget;
        this.unsent = unsent;
    }

    /** Bounds each of its buffers to {@code bytes}. */
    public void bound(int bytes) {
        unsent.bound(bytes, budget);
    }

    // ---- a grant that outlasts its exchange

    /**
     * Keeps what an exchange was granted until its response has left.
     *
     * @param held bytes of the heap that heads and trailers take beyond the grant
     * @return whether it does
     */
    public boolean keep(int grant, int held) {
        if (kept > 0 || !unsent.hasUnsent()) {
            return false;
        }
        kept = grant;
        keptHeld = held;
        return true;
    }

    /** Bytes of the heap that are kept with the grant. */
    public int keptHeld() {
        return keptHeld;
    }

    public boolean isKeeping() {
        return kept > 0;
    }

    /** Gives back what is kept for a response that has left by now. */
    public void giveBackSent() {
        if (kept > 0 && !unsent.hasUnsent()) {
            giveBack();
        }
    }

    /** Gives back what is kept, as the connection is closed. */
    public void giveBack() {
        if (kept > 0) {
            budget.giveBack(kept, keptHeld);
            kept = 0;
            keptHeld = 0;
        }
    }

    // ---- what it weighs when memory is short

    /** Returns the bytes that a cut would free. */
    public long reclaimableBytes(@Nullable FrontendExchange current) {
        if (current != null) {
            return current.grant().reservedBytes();
        }
        return kept == 0 ? 0 : budget.reserved(kept);
    }

    /**
     * Returns how much it holds for how little it moves; 0 where it does not wait for its client.
     *
     * @param sending whether the client is to go on sending the request of {@code current}
     */
    public long evictionScore(@Nullable FrontendExchange current, boolean sending, long nowNs) {
        long held = reclaimableBytes(current);
        if (held == 0 || !sending && !unsent.hasUnsent()) {
            pace = null;
            return 0;
        }
        if (pace == null) {
            pace = new Pace();
        }
        long moved = current == null ? unsent.moved() : current.grant().moved() - unsent.unsent();
        return pace.slowness(moved, nowNs) * (held >> Pace.HOLDS_SHIFT);
    }

    /** Counts a cut of this client for the memory that it holds. */
    public void cut() {
        budget.cut();
    }
}
