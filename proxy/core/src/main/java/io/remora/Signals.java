package io.remora;

import io.remora.log.Log;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import sun.misc.Signal;
import sun.misc.SignalHandler;

/**
 * Handler of SIGTERM, SIGINT and SIGHUP. The first SIGTERM or SIGINT starts the drain, and the second ends the process
 * at once. SIGHUP reloads the configuration, as soon as there is a proxy that uses one.
 *
 * <p>sun.misc.Signal is the one way to a signal that the JDK has. The JVM's own handling would run the shutdown hooks,
 * exit with 143 and take no second signal.
 */
class Signals implements SignalHandler {
    private static final int SIGNALLED = 128;
    private static final String HANG_UP = "HUP";

    private final CountDownLatch end;
    private final AtomicBoolean asked = new AtomicBoolean();
    /** Held for good by a second signal. */
    private final Object ending = new Object();
    /** Written under the lock. */
    private volatile @Nullable Proxy proxy;

    /** Under the lock. */
    private boolean hungUp;

    Signals(CountDownLatch end) {
        this.end = end;
    }

    /** @param end counted down by the first signal */
    static Signals onEnd(CountDownLatch end) {
        Signals handler = new Signals(end);
        Signal.handle(new Signal("TERM"), handler);
        Signal.handle(new Signal("INT"), handler);
        Signal.handle(new Signal(HANG_UP), handler);
        return handler;
    }

    /** A signal that came before is obeyed now. */
    synchronized void onHangUp(Proxy whose) {
        proxy = whose;
        if (hungUp) {
            whose.reload();
        }
    }

    private synchronized void hangUp() {
        hungUp = true;
        if (proxy != null) {
            proxy.reload();
        }
    }

    @Override
    public void handle(Signal signal) {
        if (signal.getName().equals(HANG_UP)) {
            hangUp();
        } else if (asked.compareAndSet(false, true)) {
            end.countDown();
        } else {
            endAtOnce(SIGNALLED + signal.getNumber());
        }
    }

    private void endAtOnce(int status) {
        Proxy running = proxy;
        synchronized (ending) {
            try {
                if (running != null) {
                    running.endAtOnce();
                }
            } finally {
                // even where the cut has failed
                Log.drain();
                halt(status);
            }
        }
    }

    /**
     * Blocks for the rest of the process where a second signal is ending it. The exchanges which that signal cuts end
     * the drain too, and the process must not exit with the drain's status.
     */
    void yieldToSecond() {
        synchronized (ending) {
            // the signal's handler does not leave its block
        }
    }

    /** Ends the process; a test records the status instead. */
    void halt(int status) {
        Runtime.getRuntime().halt(status);
    }
}
