package io.remora.tls;

import io.remora.config.model.LogComponent;
import io.remora.log.Log;
import io.remora.log.LogThrottle;
import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The thread on which handshakes compute. One takes milliseconds, in which an event loop would serve nobody; here the
 * system divides the cores between the two.
 *
 * <p>Thread safe. Cost: one thread, from the first handshake on. Bounds: one step of each handshake that is under way; what
 * comes first is done first.
 */
final class HandshakeThread implements Executor, Runnable, AutoCloseable {
    private static final long CLOSE_MS = 1_000;

    private final LogThrottle faults = LogThrottle.ofSource();
    /** Steps that wait. These fields are under the lock. */
    private final ArrayDeque<Runnable> steps = new ArrayDeque<>();

    private @Nullable Thread thread;
    private boolean closed;

    /** Queues a step; once the thread has ended, the caller runs the step itself. */
    @Override
    public void execute(Runnable step) {
        if (!take(step)) {
            step.run();
        }
    }

    private synchronized boolean take(Runnable step) {
        if (closed) {
            return false;
        }
        if (thread == null) {
            Thread computing = new Thread(this, "remora-handshakes");
            computing.setDaemon(true);
            computing.start();
            thread = computing;
        }
        steps.addLast(step);
        notifyAll();
        return true;
    }

    @Override
    public void run() {
        for (Runnable step = next(); step != null; step = next()) {
            try {
                step.run();
            } catch (RuntimeException | Error e) {
                // one's fault must not stop the others
                String tail = faults.tail(System.nanoTime());
                if (tail != null) {
                    Log.error(
                            LogComponent.TLS, "tls: a handshake step failed; continuing with the others: " + e + tail);
                }
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
        return steps.pollFirst();
    }

    /** Returns once what has begun is done, or soon. */
    @Override
    public void close() {
        Thread computing;
        synchronized (this) {
            closed = true;
            computing = thread;
            notifyAll();
        }
        if (computing != null) {
            try {
                computing.join(CLOSE_MS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
