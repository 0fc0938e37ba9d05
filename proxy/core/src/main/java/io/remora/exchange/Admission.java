package io.remora.exchange;

import java.util.concurrent.atomic.AtomicInteger;

/** Bounds a listener's exchanges in flight, over all event loops. Thread safe. */
public final class Admission {
    private final int limit;
    private final AtomicInteger inFlight = new AtomicInteger();

    public Admission(int limit) {
        this.limit = limit;
    }

    /** Whether the exchange may go on; the caller owes a {@link #leave} either way. */
    boolean enter() {
        return inFlight.incrementAndGet() <= limit;
    }

    void leave() {
        inFlight.decrementAndGet();
    }

    public int inFlight() {
        return inFlight.get();
    }
}
