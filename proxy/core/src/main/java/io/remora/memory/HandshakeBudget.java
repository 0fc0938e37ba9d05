package io.remora.memory;

import io.remora.metrics.LoopMetric;
import io.remora.metrics.LoopStats;

/**
 * The memory of one event loop that clients' handshakes may take. Their part of the pool is reserved, so that open
 * connections cannot lock out new ones.
 *
 * <p>Owner: its event loop.
 */
public final class HandshakeBudget {
    /** Connections that a proxy may well make within one turn of the loop. */
    private static final int LEAST_SPARE = 8;

    private final LoopBudget budget;
    private final MemoryWatch watch;
    private final LoopStats stats;
    private int most;
    /** Connections that may exceed the bound while their clients are not known. */
    private int spare;

    private final int bytesOfOne;
    private final int bytesOfUnnamed;
    /** Bytes of the reserve for handshakes that are not taken. */
    private long keptBytes;
    /** Bytes of the whole reserve. */
    private long reserveBytes;

    private int named;
    /** Connections whose PROXY header has not come: nothing of TLS has begun. */
    private int unnamed;

    HandshakeBudget(LoopBudget budget, MemoryPlan plan, int loops, MemoryWatch watch, LoopStats stats) {
        this.budget = budget;
        this.watch = watch;
        this.stats = stats;
        this.bytesOfOne = plan.costs().bytesOfHandshake();
        this.bytesOfUnnamed = Math.min(MemoryCosts.SOCKET_BYTES, bytesOfOne);
        divide(plan, loops);
    }

    /** Has another plan's bounds from now on; handshakes that exceed them go on. */
    final void divide(MemoryPlan plan, int loops) {
        most = Math.max(1, plan.handshakes() / loops);
        spare = Math.max(LEAST_SPARE, most / 8);
        long before = reserveBytes;
        reserveBytes = plan.handshakePoolBytes() / loops;
        keptBytes += reserveBytes - before;
    }

    /**
     * Counts a handshake that begins, which owes {@link #ended}.
     *
     * @param isNamed whether its client is known; else {@link #name} comes before anything of TLS does
     * @return whether there is room for it; where not it owes nothing, and must not begin
     */
    public boolean begin(boolean isNamed) {
        budget.noteServed();
        boolean isFull = isNamed && isFullOfNamed() || named + unnamed - spare >= most;
        if (isFull || isShort()) {
            return false;
        }
        count(isNamed, 1);
        stats.increment(LoopMetric.MEMORY_HANDSHAKES);
        return true;
    }

    /**
     * Notes that the client of a handshake is known; returns whether there is room for it among the others of known
     * clients.
     */
    public boolean name() {
        if (isFullOfNamed() || isShort()) {
            return false;
        }
        count(false, -1);
        count(true, 1);
        return true;
    }

    /** Returns whether handshakes of known clients have taken all of their room. */
    public boolean isFullOfNamed() {
        return named >= most;
    }

    /** Returns whether memory is so short that no handshake would find room even if another one ended. */
    public boolean isShort() {
        return watch.pressure().isAtLeast(Pressure.CLOSE);
    }

    /**
     * Counts a handshake that is over.
     *
     * @param isNamed whether its client was known
     */
    public void ended(boolean isNamed) {
        count(isNamed, -1);
        stats.decrement(LoopMetric.MEMORY_HANDSHAKES);
    }

    private void count(boolean isNamed, int more) {
        if (isNamed) {
            named += more;
            take(more * bytesOfOne);
        } else {
            unnamed += more;
            budget.reserve((long) more * bytesOfUnnamed);
        }
    }

    private void take(int delta) {
        keptBytes -= delta;
        int sign = Integer.signum(delta);
        budget.reserve(delta);
        budget.reserveTls(delta - (long) sign * MemoryCosts.SOCKET_BYTES);
    }

    /** Counts a handshake that was refused, or cut for another one. */
    public void cut() {
        stats.increment(LoopMetric.MEMORY_HANDSHAKES_CUT);
    }

    /** Returns the bytes of the pool that only handshakes may take. */
    long keptBytes() {
        return keptBytes;
    }
}
