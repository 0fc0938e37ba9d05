package io.remora.http2;

import io.remora.memory.LoopBudget;
import io.remora.transport.Deadline;
import org.jspecify.annotations.Nullable;

/**
 * The rest of a tunnel that both sides have ended: its client's last octets, which the endpoint has not taken yet.
 *
 * <p>Owner: one request, which keeps its place among the connection's streams for as long. Bounds: the memory of a
 * second stream of an exchange, as the exchange and its grant are over; and the listener's {@code body-idle} for each
 * wait.
 */
final class TunnelTail {
    private final LoopBudget memory;
    private final Deadline deadline;
    private final long idleNs;

    private TunnelTail(LoopBudget memory, Deadline deadline, long idleNs) {
        this.memory = memory;
        this.deadline = deadline;
        this.idleNs = idleNs;
    }

    /**
     * Begins to wait; returns null where there is no memory for that.
     *
     * @param deadline for each wait, which is its own from now on
     */
    static @Nullable TunnelTail of(LoopBudget memory, Deadline deadline, long idleNs) {
        if (!memory.reserveSecond()) {
            return null;
        }
        TunnelTail tail = new TunnelTail(memory, deadline, idleNs);
        tail.moved();
        return tail;
    }

    /** Begins the wait again, as the endpoint takes some of it. */
    void moved() {
        deadline.set(idleNs);
    }

    /** Releases its memory, as the rest has been taken, or never will be. */
    void end() {
        memory.giveBackSecond();
    }
}
