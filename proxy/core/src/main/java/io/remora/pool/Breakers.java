package io.remora.pool;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * How much a cluster is given at once, on all event loops. Loaded only for clusters that have bounds.
 *
 * <p>Thread safe.
 */
public final class Breakers {
    private final int maxConnections;
    private final int maxPending;
    private final int maxInFlight;
    private final AtomicInteger connections = new AtomicInteger();
    private final AtomicInteger pending = new AtomicInteger();
    private final AtomicInteger inFlight = new AtomicInteger();

    /**
     * @param maxConnections open or being made
     * @param maxPending that wait for a connection
     * @param maxInFlight at endpoints, or on their way there
     */
    public Breakers(int maxConnections, int maxPending, int maxInFlight) {
        this.maxConnections = maxConnections;
        this.maxPending = maxPending;
        this.maxInFlight = maxInFlight;
    }

    private static boolean enter(AtomicInteger count, int most) {
        if (count.incrementAndGet() <= most) {
            return true;
        }
        count.decrementAndGet();
        return false;
    }

    /** Takes a request in, which owes {@link #leave}, if there is room. */
    public boolean enter() {
        return enter(inFlight, maxInFlight);
    }

    public void leave() {
        inFlight.decrementAndGet();
    }

    boolean enterPending() {
        return enter(pending, maxPending);
    }

    void leavePending() {
        pending.decrementAndGet();
    }

    boolean enterConnection() {
        return enter(connections, maxConnections);
    }

    void leaveConnection() {
        connections.decrementAndGet();
    }
}
