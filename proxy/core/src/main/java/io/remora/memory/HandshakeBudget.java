package io.remora.memory;

import io.remora.metrics.LoopMetric;
import io.remora.metrics.LoopStats;

/**
 * The memory of one event loop that clients' handshakes may take. Their part of the pool is reserved, so that open
 * connections cannot lock out new ones. A connection takes a handshake's memory only once its client has spoken.
 *
 * <p>Owner: its event loop.
 */
public final class HandshakeBudget {
    /** Most octets of a client's first flight that a connection keeps while it waits: a ClientHello with a ticket that has a chain. */
    public static final int MOST_WAITING_OCTETS = 16 << 10;

    /** Divisors of the pool. Larger shares would bring on the stage of pressure at which every newcomer is refused. */
    private static final int SILENT_SHARE = 16;

    private static final int WAITING_SHARE = 32;

    private static final int LEAST_SILENT = 8;
    private static final int LEAST_WAITING = 2;
    /** Most of either kind, as the choice of one that has to go walks over all. */
    private static final int MOST = 1_024;

    private final LoopBudget budget;
    private final MemoryWatch watch;
    private final LoopStats stats;
    private int mostSpeaking;
    private long mostSilentBytes;
    private long mostWaitingBytes;

    private final int bytesOfOne;
    private final int bytesOfSilent;
    /** Bytes that the sockets of one may hold unread. */
    private final int bytesUnread;
    /** Bytes of the reserve for handshakes that are not taken. */
    private long keptBytes;
    /** Bytes of the whole reserve. */
    private long reserveBytes;

    private int speaking;
    /** Connections whose client has sent nothing of TLS, for which nothing of TLS is held. */
    private int silent;
    /** Connections whose client has spoken, for which nothing of TLS is held either. */
    private int waiting;

    private long waitingBytes;

    HandshakeBudget(LoopBudget budget, MemoryPlan plan, int loops, MemoryWatch watch, LoopStats stats) {
        this.budget = budget;
        this.watch = watch;
        this.stats = stats;
        this.bytesOfOne = plan.costs().bytesOfHandshake();
        this.bytesOfSilent = Math.min(MemoryCosts.SOCKET_BYTES, bytesOfOne);
        // the kernel charges twice the size of a buffer
        this.bytesUnread = 2 * plan.receiveBytes();
        divide(plan, loops);
    }

    /** Has another plan's bounds from now on; handshakes that exceed them go on. */
    final void divide(MemoryPlan plan, int loops) {
        mostSpeaking = Math.max(1, plan.handshakes() / loops);
        mostSilentBytes = plan.poolBytes() / SILENT_SHARE / loops;
        mostWaitingBytes = plan.poolBytes() / WAITING_SHARE / loops;
        long before = reserveBytes;
        reserveBytes = plan.handshakePoolBytes() / loops;
        keptBytes += reserveBytes - before;
    }

    /**
     * Counts a connection whose client has not spoken, which owes {@link #ended}. Where there is no room for all of them, one
     * has to go.
     *
     * @return false where memory is short; it owes nothing then, and must be closed
     */
    public boolean begin() {
        budget.noteServed();
        if (isShort()) {
            return false;
        }
        count(false, 1);
        stats.increment(LoopMetric.MEMORY_HANDSHAKES);
        return true;
    }

    /** Returns whether there is room for all connections whose clients have not spoken. */
    public boolean silentFit() {
        return fits(silent - 1, LEAST_SILENT, (long) silent * bytesOfSilent, mostSilentBytes);
    }

    // where handshakes cost nothing, nothing of them is planned
    private boolean fits(int count, int least, long bytes, long mostBytes) {
        return count < least || bytesOfOne == 0 || count < MOST && bytes <= mostBytes;
    }

    /** Returns whether another handshake finds room. */
    public boolean hasPlace() {
        return speaking < mostSpeaking && !isShort();
    }

    /** Counts a silent connection as a handshake. */
    public void admit() {
        count(false, -1);
        count(true, 1);
    }

    /**
     * Counts a silent connection as one that waits for its handshake, which owes {@link #awaited}.
     *
     * @param octets that it keeps
     * @return whether it may wait
     */
    public boolean await(int octets) {
        long bytes = bytesOfWaiting(octets);
        if (!fits(waiting, LEAST_WAITING, waitingBytes + bytes, mostWaitingBytes) || isShort()) {
            return false;
        }
        silent--;
        waiting++;
        waitingBytes += bytes;
        stats.increment(LoopMetric.MEMORY_HANDSHAKES_WAITING);
        budget.reserve(bytes - bytesOfSilent);
        return true;
    }

    /** Counts it as a silent one again, which is about to end or to go on. */
    public void awaited(int octets) {
        long bytes = bytesOfWaiting(octets);
        silent++;
        waiting--;
        waitingBytes -= bytes;
        stats.decrement(LoopMetric.MEMORY_HANDSHAKES_WAITING);
        budget.reserve(bytesOfSilent - bytes);
    }

    /** Returns bytes of one that does not read, with those that its sockets may hold. */
    private long bytesOfWaiting(int octets) {
        return (long) bytesOfSilent + bytesUnread + octets;
    }

    /** Returns whether memory is so short that no handshake would find room even if another one ended. */
    public boolean isShort() {
        return watch.pressure().isAtLeast(Pressure.CLOSE);
    }

    /**
     * Counts a handshake that is over.
     *
     * @param spoke whether its client had spoken
     */
    public void ended(boolean spoke) {
        count(spoke, -1);
        stats.decrement(LoopMetric.MEMORY_HANDSHAKES);
    }

    private void count(boolean spoke, int more) {
        if (spoke) {
            speaking += more;
            take(more * bytesOfOne);
        } else {
            silent += more;
            budget.reserve((long) more * bytesOfSilent);
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
