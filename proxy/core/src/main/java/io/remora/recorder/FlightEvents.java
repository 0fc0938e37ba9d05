package io.remora.recorder;

import io.remora.admin.EventLines;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;
import jdk.jfr.consumer.EventStream;
import jdk.jfr.consumer.RecordedEvent;

/**
 * Events of a running recording, which a thread reads from the recorder's directory each time the recorder flushes, once a
 * second.
 *
 * <p>Thread safe. Bounds: {@value #MAX_WAITING} bytes of lines; a further event waits for a second, and is then
 * dropped and counted. So is an event that ended more than {@value #MAX_AGE_S} seconds ago, as the recorder deletes old
 * chunks. Cost: a thread, and the constants of the chunk that is being read.
 */
final class FlightEvents implements EventLines, Consumer<RecordedEvent>, Runnable {
    static final int MAX_WAITING = 256 << 10;

    private static final long MAX_AGE_S = 30;
    private static final Duration MAX_AGE = Duration.ofSeconds(MAX_AGE_S);
    private static final String OWN = "io.remora.";
    private static final long NS_PER_MS = 1_000_000;
    private static final long PATIENCE_NS = 1_000 * NS_PER_MS;

    private final Flight flight;
    private final EventStream stream;
    /** Guarded by itself, as are the numbers and {@link #late}. */
    private final ByteArrayOutputStream waiting = new ByteArrayOutputStream();

    private long linesWaiting;
    private long taken;
    private long dropped;
    /** The reader has not taken lines for too long. */
    private boolean late;

    private volatile boolean ended;

    private FlightEvents(Flight flight, EventStream stream) {
        this.flight = flight;
        this.stream = stream;
    }

    /**
     * Begins to read.
     *
     * @param names of types; empty for those of the sidecar
     * @throws IllegalArgumentException if there is no such type, or it may hold credentials
     * @throws IOException if the recorder's directory cannot be read
     */
    static FlightEvents of(Flight flight, List<String> names) throws IOException {
        Set<String> types = types(names);
        EventStream stream = EventStream.openRepository();
        FlightEvents events = new FlightEvents(flight, stream);
        // order would need room for a hundred thousand events
        stream.setOrdered(false);
        stream.setReuse(true);
        for (String type : types) {
            stream.onEvent(type, events);
        }
        Thread thread = new Thread(events, "remora-recording-events");
        thread.setDaemon(true);
        thread.start();
        return events;
    }

    private static Set<String> types(List<String> names) {
        Set<String> known = new TreeSet<>();
        Set<String> own = new TreeSet<>();
        for (EventType type : FlightRecorder.getFlightRecorder().getEventTypes()) {
            known.add(type.getName());
            if (type.getName().startsWith(OWN)) {
                own.add(type.getName());
            }
        }
        for (String name : names) {
            if (!known.contains(name)) {
                throw new IllegalArgumentException("'" + name + "' is no event of this JVM");
            }
            if (Flight.SECRET.contains(name)) {
                throw new IllegalArgumentException(name + " may hold credentials, and is never recorded");
            }
        }
        return names.isEmpty() ? own : new TreeSet<>(names);
    }

    @Override
    public void run() {
        try {
            stream.start();
        } finally {
            ended = true;
        }
    }

    /** Receives an event, which the stream may use for the next one as well. */
    @Override
    public void accept(RecordedEvent event) {
        boolean old = event.getEndTime().isBefore(Instant.now().minus(MAX_AGE));
        byte[] line = old ? new byte[0] : (EventJson.of(event) + '\n').getBytes(StandardCharsets.UTF_8);
        synchronized (waiting) {
            if (!old && hasRoom(line.length)) {
                waiting.write(line, 0, line.length);
                linesWaiting++;
            } else {
                dropped++;
            }
        }
    }

    /** Waits for the reader once until it takes lines again: a flush has more events than fit. */
    private boolean hasRoom(int bytes) {
        long endNs = System.nanoTime() + PATIENCE_NS;
        while (waiting.size() + bytes > MAX_WAITING && !late) {
            long leftMs = (endNs - System.nanoTime()) / NS_PER_MS;
            late = leftMs <= 0;
            try {
                waiting.wait(Math.max(1, leftMs));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                late = true;
            }
        }
        return waiting.size() + bytes <= MAX_WAITING;
    }

    @Override
    public byte[] take() {
        synchronized (waiting) {
            byte[] lines = waiting.toByteArray();
            waiting.reset();
            taken += linesWaiting;
            linesWaiting = 0;
            late = false;
            waiting.notifyAll();
            return lines;
        }
    }

    @Override
    public boolean isOver() {
        return ended || !flight.isRunning();
    }

    @Override
    public boolean isBroken() {
        return ended && flight.isRunning();
    }

    /** Returns the number of lines that were taken or wait. */
    long made() {
        synchronized (waiting) {
            return taken + linesWaiting;
        }
    }

    @Override
    public long taken() {
        synchronized (waiting) {
            return taken;
        }
    }

    @Override
    public long dropped() {
        synchronized (waiting) {
            return dropped;
        }
    }

    @Override
    public void close() {
        stream.close();
    }
}
