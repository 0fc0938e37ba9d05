package io.remora.transport;

import org.jspecify.annotations.Nullable;

/**
 * An event loop, as its watchdog sees it, and what the watchdog has seen of it so far.
 *
 * <p>Owner: the watchdog's thread; {@link #number}, which does not change any more, {@link #turns} and {@link #stack} are for
 * any thread.
 */
abstract class WatchedLoop {
    /** Its number among the loops of the process. */
    int number;
    /** The number of turns as last seen; none yet. */
    int turnsSeen = -1;

    /** The time since which it may have stood still, and below what its thread had done by then. */
    long sinceNs;

    @Nullable
    ThreadTimes since;

    /** Set once the log has its stall. */
    boolean told;
    /** Set once it has stood still for longer than the bound, until it turns. */
    boolean dead;

    /** Moves with each turn; odd while it waits for something to do. */
    abstract int turns();

    /** The kernel's account of its thread; null where it does not tell. */
    @Nullable
    abstract ThreadTimes times();

    abstract StackTraceElement[] stack();

    abstract void countStall();
}
