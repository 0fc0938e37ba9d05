package io.remora.tls;

import io.remora.config.model.LogComponent;
import io.remora.log.Log;
import io.remora.log.LogThrottle;
import io.remora.transport.NanoClock;
import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The thread on which handshakes compute. A handshake may take milliseconds, in which an event loop would serve nobody;
 * here the system divides the cores between the two.
 *
 * <p>A loop computes a step itself while steps are short, because two changes of the thread cost as much. It does so for
 * a fifth of its time at most, so that the thread serves a crowd of newcomers.
 *
 * <p>Thread safe. Cost: one thread, from the first handshake on. Bounds: one step of each handshake that is under way; what
 * comes first is done first.
 */
final class HandshakeThread implements Executor, Runnable, AutoCloseable {
    private static final long CLOSE_MS = 1_000;

    /** Time of a step up to which an event loop may compute it. */
    private static final long SHORT_NS = 300_000;
    /** Time that steps are expected to take at first, before they are compiled. */
    private static final long FIRST_NS = 1_000_000;
    /** Time that event loops may compute at once. */
    private static final long BURST_NS = 400_000;
    /** Divisor of time that gives the part which event loops may compute. */
    private static final int SHARE = 5;
    /** Divisor of the longest time that gives by how much a shorter step lowers it. */
    private static final int FORGETS = 16;

    private final NanoClock clock;
    private final LogThrottle faults = LogThrottle.ofSource();
    /** Steps that wait. These fields are under the lock. */
    private final ArrayDeque<Runnable> steps = new ArrayDeque<>();

    private @Nullable Thread thread;
    private boolean closed;
    /** True while the thread computes. */
    private boolean computing;
    /** Time of the longest step, which fades: rare long ones among short ones are not the loop's. */
    private long longestNs = FIRST_NS;
    /** Time that event loops have computed beyond their part, at {@link #spentAtNs}. */
    private long spentNs;

    private long spentAtNs;

    HandshakeThread() {
        this(NanoClock.SYSTEM);
    }

    HandshakeThread(NanoClock clock) {
        this.clock = clock;
        this.spentAtNs = clock.nowNs();
    }

    /** Queues a step, or runs it: a short one, and any once the thread has ended. */
    @Override
    public void execute(Runnable step) {
        long beganNs = clock.nowNs();
        if (isForLoop(beganNs) || !take(step)) {
            try {
                step.run();
            } finally {
                took(clock.nowNs() - beganNs, true);
            }
        }
    }

    private synchronized boolean isForLoop(long nowNs) {
        spentNs = Math.max(0, spentNs - (nowNs - spentAtNs) / SHARE);
        spentAtNs = nowNs;
        return longestNs <= SHORT_NS && spentNs < BURST_NS && steps.isEmpty() && !computing && !closed;
    }

    private synchronized void took(long ns, boolean byLoop) {
        longestNs = Math.max(ns, longestNs - longestNs / FORGETS);
        if (byLoop) {
            spentNs += ns;
        } else {
            computing = false;
        }
    }

    private synchronized boolean take(Runnable step) {
        if (closed) {
            return false;
        }
        if (thread == null) {
            Thread started = new Thread(this, "remora-handshakes");
            started.setDaemon(true);
            started.start();
            thread = started;
        }
        steps.addLast(step);
        notifyAll();
        return true;
    }

    @Override
    public void run() {
        for (Runnable step = next(); step != null; step = next()) {
            long beganNs = clock.nowNs();
            try {
                step.run();
            } catch (RuntimeException | Error e) {
                // one's fault must not stop the others
                String tail = faults.tail(System.nanoTime());
                if (tail != null) {
                    Log.error(
                            LogComponent.TLS, "tls: a handshake step failed; continuing with the others: " + e + tail);
                }
            } finally {
                took(clock.nowNs() - beganNs, false);
            }
        }
    }

    /** Null where there is none left, and none comes. */
    private synchronized @Nullable Runnable next() {
        while (steps.isEmpty() && !closed) {
            try {
                wait();
            } catch (InterruptedException e) {
                // nobody here interrupts it, and handshakes cannot do without it
            }
        }
        computing = !steps.isEmpty();
        return steps.pollFirst();
    }

    /** Returns once what has begun is done, or soon. */
    @Override
    public void close() {
        Thread started;
        synchronized (this) {
            closed = true;
            started = thread;
            notifyAll();
        }
        if (started != null) {
            try {
                started.join(CLOSE_MS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
