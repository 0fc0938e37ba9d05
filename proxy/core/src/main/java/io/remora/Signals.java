package io.remora;

import java.util.concurrent.atomic.AtomicBoolean;
import sun.misc.Signal;
import sun.misc.SignalHandler;

/**
 * What SIGTERM and SIGINT do: the first asks for the end, the second ends at once.
 *
 * <p>sun.misc.Signal is the one way to a signal that the JDK has. The JVM's own handling would run the shutdown hooks,
 * exit with 143 and take no second signal.
 */
final class Signals implements SignalHandler {
    private static final int SIGNALLED = 128;

    private final Runnable end;
    private final AtomicBoolean asked = new AtomicBoolean();

    private Signals(Runnable end) {
        this.end = end;
    }

    static void onEnd(Runnable end) {
        Signals handler = new Signals(end);
        Signal.handle(new Signal("TERM"), handler);
        Signal.handle(new Signal("INT"), handler);
    }

    @Override
    public void handle(Signal signal) {
        if (asked.compareAndSet(false, true)) {
            end.run();
        } else {
            Runtime.getRuntime().halt(SIGNALLED + signal.getNumber());
        }
    }
}
