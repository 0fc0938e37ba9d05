package io.remora.recorder;

import io.remora.admin.EventLines;
import io.remora.admin.Recorder;
import io.remora.exchange.Stage;
import io.remora.metrics.Stats;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Owner of the sidecar's recording: starts, stops and dumps it, and tells the sites of events whether one is running.
 *
 * <p>Thread safe. Bounds: one recording, {@value Flight#MAX_BYTES} bytes of data. Cost: loaded in images with a recorder
 * only; nothing of {@code jdk.jfr} is loaded before the first start.
 */
public final class FlightControl implements Recorder, Runnable {
    /** The property that the image variant sets; without it, no class of this package is loaded. */
    public static final String PROPERTY = "remora.recorder";

    private final AtomicBoolean running = new AtomicBoolean();
    private final Stats stats;
    private volatile @Nullable Flight flight;

    private FlightControl(Stats stats) {
        this.stats = stats;
    }

    /**
     * Returns a control without a recording; an interface, so that its caller's verification loads nothing.
     *
     * @param stats receives what records changes of state
     */
    public static Recorder create(Stats stats) {
        return new FlightControl(stats);
    }

    /** Returns a stage that records the exchanges of a listener. */
    public static Stage stage(Recorder control) {
        return new RecordExchanges(((FlightControl) control).running);
    }

    @Override
    public String state() {
        Flight current = flight;
        return current == null ? "state: none\n" : current.state(running.get());
    }

    @Override
    public synchronized void start(String settings, long durationMs, long slowMs) throws IOException {
        if (running.get()) {
            throw new IllegalStateException("a recording is running");
        }
        Flight next = Flight.of(settings, durationMs, slowMs);
        discard();
        flight = next;
        // before the first event, as the recorder reports the end by its own thread
        running.set(true);
        try {
            next.start(this);
            stats.changes(new RecordedChanges());
        } catch (RuntimeException | Error e) {
            discard();
            throw new IOException("cannot record: " + e, e);
        }
    }

    /** Called by the recorder when the recording has ended. */
    @Override
    public void run() {
        running.set(false);
        stats.changes(null);
    }

    @Override
    public synchronized boolean stop() {
        Flight current = flight;
        boolean stops = current != null && current.stop();
        run();
        return stops;
    }

    @Override
    public synchronized boolean discard() {
        Flight last = flight;
        flight = null;
        run();
        if (last == null) {
            return false;
        }
        last.close();
        return true;
    }

    @Override
    public synchronized InputStream dump() throws IOException {
        Flight current = flight;
        if (current == null) {
            throw new IllegalStateException("no recording");
        }
        return current.dump();
    }

    @Override
    public synchronized EventLines follow(List<String> events) throws IOException {
        Flight current = flight;
        if (current == null || !running.get()) {
            throw new IllegalStateException("no recording is running");
        }
        return FlightEvents.of(current, events);
    }
}
