package io.remora.memory;

import io.remora.metrics.LoopMetric;
import io.remora.metrics.LoopStats;

/**
 * What clients' handshakes may take of one event loop's memory. Their part of the pool is kept for them, so that those who
 * are in cannot lock out those who knock.
 *
 * <p>Owner: its event loop.
 */
public final class HandshakeBudget {
    private final LoopBudget budget;
    private final MemoryWatch watch;
    private final LoopStats stats;
    private final int most;
    private final int bytesOfOne;
    /** Of what is kept for all that there may be, how much is not taken. */
    private long keptBytes;

    private int underWay;

    HandshakeBudget(LoopBudget budget, MemoryPlan plan, int loops, MemoryWatch watch, LoopStats stats) {
        this.budget = budget;
        this.watch = watch;
        this.stats = stats;
        this.most = Math.max(1, plan.handshakes() / loops);
        this.bytesOfOne = bytesOfOne(plan.costs());
        this.keptBytes = plan.handshakePoolBytes() / loops;
    }

    /** Of a handshake under way, with its connection's; 0 where there are none. */
    static int bytesOfOne(MemoryCosts costs) {
        int more = costs.handshake().bytes() + costs.client().bytes();
        return more == 0 && costs.handshake().heapBytes() == 0 ? 0 : LoopBudget.SOCKET_BYTES + more;
    }

    /**
     * One begins, which owes {@link #ended}.
     *
     * @return whether there is room for it; where not it owes nothing, and must not begin
     */
    public boolean begin() {
        budget.noteServed();
        if (underWay >= most || watch.pressure().isAtLeast(Pressure.CLOSE)) {
            return false;
        }
        underWay++;
        take(bytesOfOne);
        stats.increment(LoopMetric.MEMORY_HANDSHAKES);
        return true;
    }

    /** Tells if there is no room because others have all of it, of which one could make room. */
    public boolean isFull() {
        return underWay >= most && !watch.pressure().isAtLeast(Pressure.CLOSE);
    }

    /** One is over. */
    public void ended() {
        underWay--;
        take(-bytesOfOne);
        stats.decrement(LoopMetric.MEMORY_HANDSHAKES);
    }

    private void take(int delta) {
        keptBytes -= delta;
        int sign = Integer.signum(delta);
        budget.reserve(delta);
        budget.reserveTls(delta - (long) sign * LoopBudget.SOCKET_BYTES);
    }

    /** One was refused, or cut for another one. */
    public void cut() {
        stats.increment(LoopMetric.MEMORY_HANDSHAKES_CUT);
    }

    /** Of the pool, what nobody but a handshake may take. */
    long keptBytes() {
        return keptBytes;
    }
}
