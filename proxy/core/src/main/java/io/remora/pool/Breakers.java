package io.remora.pool;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The bounds on the load of a cluster on all event loops, or on one of its destinations where endpoints are such.
 * Loaded only for clusters that have bounds.
 *
 * <p>Thread safe.
 */
public final class Breakers {
    private final int maxConnections;
    private final int maxPending;
    private final int maxInFlight;
    /** The bound that this one shares with others like it; null where there is none. */
    private final @Nullable Breakers all;

    private final AtomicInteger connections = new AtomicInteger();
    private final AtomicInteger pending = new AtomicInteger();
    private final AtomicInteger inFlight = new AtomicInteger();

    /**
     * @param maxConnections open or being made
     * @param maxPending that wait for a connection
     * @param maxInFlight at endpoints, or on their way there
     * @param all that bounds this one and others like it together, null for nothing
     */
    public Breakers(int maxConnections, int maxPending, int maxInFlight, @Nullable Breakers all) {
        this.all = all;
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

    // where there is room here, and none in all
    private static boolean leaves(AtomicInteger count) {
        count.decrementAndGet();
        return false;
    }

    /** Takes a request in, which owes {@link #leave}, if there is room. */
    public boolean enter() {
        return enter(inFlight, maxInFlight) && (all == null || all.enter() || leaves(inFlight));
    }

    public void leave() {
        inFlight.decrementAndGet();
        if (all != null) {
            all.leave();
        }
    }

    boolean enterPending() {
        return enter(pending, maxPending) && (all == null || all.enterPending() || leaves(pending));
    }

    void leavePending() {
        pending.decrementAndGet();
        if (all != null) {
            all.leavePending();
        }
    }

    /** Returns whether this bound has room for a connection. Where it has, a refusal comes from {@code all}. */
    boolean hasRoom() {
        return connections.get() < maxConnections;
    }

    boolean enterConnection() {
        return enter(connections, maxConnections) && (all == null || all.enterConnection() || leaves(connections));
    }

    void leaveConnection() {
        connections.decrementAndGet();
        if (all != null) {
            all.leaveConnection();
        }
    }
}
