package io.remora.testkit;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for a condition until a deadline, so that no test sleeps for luck. */
public final class Await {
    /** Generous, because a busy machine may stall for long; a test that passes never waits for it. */
    public static final int TIMEOUT_MS = 10_000;

    private static final long POLL_NS = TimeUnit.MICROSECONDS.toNanos(500);

    private Await() {}

    public static void until(String what, BooleanSupplier condition) {
        if (!within(TIMEOUT_MS, condition)) {
            throw new AssertionError("not within " + TIMEOUT_MS + " ms: " + what);
        }
    }

    /** Returns once the latch is open. */
    public static void open(CountDownLatch latch) {
        try {
            if (!latch.await(TIMEOUT_MS, TimeUnit.MILLISECONDS)) {
                throw new AssertionError("not open within " + TIMEOUT_MS + " ms");
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Whether the condition came to hold before the deadline. */
    public static boolean within(int timeoutMs, BooleanSupplier condition) {
        long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        while (true) {
            long askedNs = System.nanoTime();
            if (condition.getAsBoolean()) {
                return true;
            }
            long nowNs = System.nanoTime();
            if (nowNs - deadlineNs > 0) {
                return false;
            }
            // what takes long to find out is asked for less often, so that the asking does not delay the answer
            LockSupport.parkNanos(Math.max(POLL_NS, nowNs - askedNs));
        }
    }
}
