package io.remora.exchange;

import java.util.concurrent.atomic.AtomicInteger;

/** Counts a listener's exchanges in flight, over all event loops. Thread safe. */
public final class Admission {
    private final AtomicInteger inFlight = new AtomicInteger();

    /** An exchange begins; {@link #leave} is owed. */
    void enter() {
        inFlight.incrementAndGet();
    }

    void leave() {
        inFlight.decrementAndGet();
    }

    /** Exchanges that have begun and not ended, one that asks among them. */
    public int inFlight() {
        return inFlight.get();
    }
}
