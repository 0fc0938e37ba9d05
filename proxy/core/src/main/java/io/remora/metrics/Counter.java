package io.remora.metrics;

import java.util.concurrent.atomic.AtomicLong;

/**
 * A count that one thread writes and any thread reads.
 *
 * <p>Owner: the event loop that made it. Cost: a plain read and an ordered store; no locked instruction, and no torn
 * read on a 32-bit JVM.
 */
public final class Counter {
    private final AtomicLong value = new AtomicLong();

    public void increment() {
        add(1);
    }

    public void decrement() {
        add(-1);
    }

    public void add(long delta) {
        value.lazySet(value.getPlain() + delta);
    }

    public long value() {
        return value.get();
    }
}
