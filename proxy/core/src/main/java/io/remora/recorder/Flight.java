package io.remora.recorder;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.text.ParseException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import jdk.jfr.Configuration;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.FlightRecorderListener;
import jdk.jfr.Recording;
import jdk.jfr.RecordingState;

/**
 * One recording of the JVM's flight recorder, with its settings.
 *
 * <p>Owner: the control, under its lock. Bounds: {@value #MAX_BYTES} bytes of complete chunks in the
 * directory for temporary files, and the chunk that is being written.
 */
final class Flight {
    static final long MAX_BYTES = 8 << 20;

    private static final String OWN = "remora";

    /** Events that hold the environment, system properties and command lines, where credentials may be. */
    static final List<String> SECRET = List.of(
            "jdk.InitialEnvironmentVariable", "jdk.InitialSystemProperty", "jdk.JVMInformation", "jdk.SystemProcess");

    private static final List<Class<? extends Event>> EVENTS = List.of(
            ExchangeEvent.class, AttemptFailedEvent.class, EjectionEvent.class, PressureEvent.class, ReloadEvent.class);

    private final Recording recording;
    private final String settings;
    private final long durationMs;

    private Flight(Recording recording, String settings, long durationMs) {
        this.recording = recording;
        this.settings = settings;
        this.durationMs = durationMs;
    }

    /**
     * Returns a recording that has not started.
     *
     * @throws IllegalArgumentException if there are no such settings
     * @throws IOException if the recorder cannot start
     */
    static Flight of(String settings, long durationMs, long slowMs) throws IOException {
        Map<String, String> values = new HashMap<>(read(settings).getSettings());
        for (String event : SECRET) {
            values.put(event + "#enabled", "false");
        }
        values.put(ExchangeEvent.NAME + "#threshold", slowMs + " ms");
        Recording made = made(values);
        made.setName(OWN);
        made.setToDisk(true);
        made.setMaxSize(MAX_BYTES);
        made.setDuration(Duration.ofMillis(durationMs));
        return new Flight(made, settings, durationMs);
    }

    // the recorder starts with the first of them
    private static Recording made(Map<String, String> values) throws IOException {
        try {
            for (Class<? extends Event> event : EVENTS) {
                FlightRecorder.register(event);
            }
            return new Recording(values);
        } catch (IllegalStateException e) {
            throw new IOException("cannot record: " + e.getMessage(), e);
        }
    }

    private static Configuration read(String settings) throws IOException {
        try {
            return settings.equals(OWN) ? readOwn() : readOfJdk(settings);
        } catch (ParseException e) {
            throw new IOException("settings " + settings + ": " + e.getMessage());
        }
    }

    private static Configuration readOwn() throws IOException, ParseException {
        InputStream file = Flight.class.getResourceAsStream("remora.jfc");
        if (file == null) {
            throw new IOException("remora.jfc is missing");
        }
        try (Reader text = new InputStreamReader(file, StandardCharsets.UTF_8)) {
            return Configuration.create(text);
        }
    }

    private static Configuration readOfJdk(String settings) throws IOException, ParseException {
        if (!settings.equals("default") && !settings.equals("profile")) {
            throw new IllegalArgumentException(
                    "'" + settings + "' is no name of settings, expected remora, default or profile");
        }
        return Configuration.getConfiguration(settings);
    }

    /**
     * Starts to record.
     *
     * @param ended called once when it stops, by its duration or otherwise; any thread
     */
    void start(Runnable ended) {
        FlightRecorder.addListener(new End(recording, ended));
        recording.start();
    }

    /** Returns the state without the recorder's lock, which is held while it writes to the disk. */
    String state(boolean running) {
        return "state: " + (running ? "running" : "stopped")
                + "\nsettings: " + settings
                + "\nduration_ms: " + durationMs
                + "\nsize_bytes: " + recording.getSize() + '\n';
    }

    boolean isRunning() {
        return recording.getState() == RecordingState.RUNNING;
    }

    /** Returns false if it has stopped already. */
    boolean stop() {
        return isRunning() && recording.stop();
    }

    void close() {
        recording.close();
    }

    /** Returns the data so far, of a copy that has stopped: a running recording cannot be read. */
    InputStream dump() throws IOException {
        Recording stopped = recording.copy(true);
        try {
            InputStream chunks = stopped.getStream(null, null);
            if (chunks == null) {
                throw new IllegalStateException("the recording has no data");
            }
            return new Dump(chunks, stopped);
        } catch (IOException | RuntimeException e) {
            stopped.close();
            throw e;
        }
    }

    /** Chunks of a copy, which keeps their files until this is closed. Owner: one reader. */
    private static final class Dump extends FilterInputStream {
        private final Recording copy;

        Dump(InputStream chunks, Recording copy) {
            super(chunks);
            this.copy = copy;
        }

        @Override
        public void close() throws IOException {
            try {
                super.close();
            } finally {
                copy.close();
            }
        }
    }

    /** Reports the end of one recording. Owner: the recorder. */
    private static final class End implements FlightRecorderListener {
        private final Recording recording;
        private final Runnable ended;
        private final AtomicBoolean told = new AtomicBoolean();

        End(Recording recording, Runnable ended) {
            this.recording = recording;
            this.ended = ended;
        }

        @Override
        public void recordingStateChanged(Recording changed) {
            RecordingState state = changed.getState();
            boolean over = state == RecordingState.STOPPED || state == RecordingState.CLOSED;
            if (changed.equals(recording) && over && told.compareAndSet(false, true)) {
                ended.run();
                FlightRecorder.removeListener(this);
            }
        }
    }
}
