package io.remora.transport;

import io.remora.memory.LoopBudget;

/**
 * A queue of octets that were written for a client and have not left: a connection's, or that of one of its streams.
 *
 * <p>Owner: its connection's event loop.
 */
public interface Unsent {
    /** Returns the number of octets that have not left yet. */
    long unsent();

    boolean hasUnsent();

    /**
     * Returns the number of octets that have left, counted from anywhere: only differences while nothing is written
     * mean something.
     */
    long moved();

    /** A figure that changes whenever octets leave while nothing is written, however few. */
    long sendPosition();

    /**
     * Bounds the queue, and the buffers after it, to its part of a grant.
     *
     * @param sent bound of the bytes in the kernel that the client has not read; 0 leaves it as it is
     * @param queued bound of the queue and its reads, where the configuration does not keep them below that
     */
    void bound(int grant, int sent, int queued);

    /** Bounds them to their part of a grant as the loop's budget has it. */
    default void bound(int grant, LoopBudget budget) {
        bound(grant, budget.sendBytes(grant), budget.queued(grant));
    }
}
