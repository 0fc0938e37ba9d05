package io.remora.exchange;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Counts a listener's exchanges in flight, over all event loops. Thread safe. */
public final class Admission {
    private final AtomicInteger inFlight = new AtomicInteger();
    /** The limit by latency, null without one. Exchanges under way when it is replaced keep the one before. */
    private volatile @Nullable AdaptiveLimit adaptive;

    /** Counts an exchange that begins, which owes {@link #leave}. */
    void enter() {
        inFlight.incrementAndGet();
    }

    void leave() {
        inFlight.decrementAndGet();
    }

    /** Exchanges that have begun and not ended, the caller's among them. */
    public int inFlight() {
        return inFlight.get();
    }

    /** Returns the limit by latency; null without one. */
    public @Nullable AdaptiveLimit adaptive() {
        return adaptive;
    }

    /** Replaces the limit by latency; null removes it. */
    public void adapt(@Nullable AdaptiveLimit limit) {
        adaptive = limit;
    }
}
