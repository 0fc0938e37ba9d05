package io.remora.admin;

import io.remora.config.keys.Units;
import io.remora.http1.WholeRequests;
import io.remora.log.Log;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The pages of the flight recorder, in images that have one. Starting, stopping and dumping wait for the disk or for the
 * client, and run on a separate thread, as the admin thread answers probes.
 *
 * <p>Thread safe. Bounds: one request at a time, and {@value #MAX_DUMP_S} seconds for a dump, which keeps its chunks
 * from being deleted. Cost: loaded by the first request in images with a recorder.
 */
final class RecordingPages implements Runnable {
    /** Lines of the index. */
    static final String INDEX = """
            GET  /recording          state of the flight recorder
            POST /recording/start    record; ?settings=remora|default|profile&duration=60s&slow=100ms
            POST /recording/stop     stop recording; the data can still be dumped
            POST /recording/discard  delete the recording
            POST /recording/dump     the recording so far, as a JFR file
            """;

    private static final String STATE = "/recording";
    private static final String START = "/recording/start";
    private static final String STOP = "/recording/stop";
    private static final String DISCARD = "/recording/discard";
    private static final String DUMP = "/recording/dump";
    private static final String NO_RECORDING = "no recording\n";
    private static final String OCTETS = "application/octet-stream";
    private static final int BUFFER = 16 << 10;
    private static final long MAX_DUMP_S = 300;
    private static final long NS_PER_MS = 1_000_000;
    private static final long NS_PER_S = 1_000_000_000;
    private static final long MAX_NS = 24 * 3_600_000_000_000L;

    /** Set during a request: the recorder has one lock, and a client must not pile threads up behind it. */
    private static final AtomicBoolean BUSY = new AtomicBoolean();

    private final ProxyControl control;
    private final Recorder recorder;
    private final String target;
    private final LaterReply then;

    private RecordingPages(ProxyControl control, Recorder recorder, String target, LaterReply then) {
        this.control = control;
        this.recorder = recorder;
        this.target = target;
        this.then = then;
    }

    static boolean has(String path) {
        return path.equals(STATE) || path.startsWith(STATE + '/');
    }

    /** Returns whether {@link #begin} answers the request. */
    static boolean takesTime(WholeRequests request) {
        return switch (RequestTarget.path(request.target())) {
            case START, STOP, DISCARD, DUMP -> request.method().equals("POST");
            default -> false;
        };
    }

    /** Answers a request that takes no time: for the state, or one with another method. */
    static Reply answer(Recorder recorder, WholeRequests request) {
        return switch (RequestTarget.path(request.target())) {
            case STATE ->
                Pages.reads(request) ? Reply.text(200, recorder.state()) : Reply.methodNotAllowed(Pages.READ_METHODS);
            case START, STOP, DISCARD, DUMP -> Reply.methodNotAllowed("POST");
            default -> Pages.notFound();
        };
    }

    static void begin(ProxyControl control, Recorder recorder, String target, ReloadOutcome asker) {
        // each asker of an admin page is one; as a parameter, it would load both types at each start
        LaterReply then = (LaterReply) asker;
        if (!BUSY.compareAndSet(false, true)) {
            then.told(409, "another request to the recorder is in progress; try again when it has ended\n");
            return;
        }
        Thread thread = new Thread(new RecordingPages(control, recorder, target, then), "remora-recording");
        thread.setDaemon(true);
        try {
            thread.start();
        } catch (OutOfMemoryError e) {
            // a limit on threads shows this way
            BUSY.set(false);
            Log.warn("recording: " + e.getMessage() + "; request failed peer=" + then.peer());
            then.told(503, e.getMessage() + "\n");
        }
    }

    @Override
    public void run() {
        try {
            answer();
        } catch (IllegalArgumentException e) {
            told(400, e.getMessage() + '\n');
        } catch (IllegalStateException e) {
            told(409, e.getMessage() + '\n');
        } catch (IOException | RuntimeException | Error e) {
            // a directory that cannot be written reaches this from the recorder as an error or an exception of its own
            Log.warn("recording: " + e + "; request failed peer=" + then.peer());
            told(500, e + "\n");
        }
    }

    // the client may send the next request as soon as it has the response
    private void told(int status, String text) {
        BUSY.set(false);
        then.told(status, text);
    }

    private void answer() throws IOException {
        switch (RequestTarget.path(target)) {
            case START -> start();
            case STOP -> tell(recorder.stop(), "stopped; its data is kept");
            case DISCARD -> tell(recorder.discard(), "discarded; its data is deleted");
            default -> dump();
        }
    }

    private void tell(boolean done, String what) {
        if (done) {
            Log.info("recording: " + what + " peer=" + then.peer());
        }
        told(done ? 200 : 409, done ? recorder.state() : NO_RECORDING);
    }

    private void dump() throws IOException {
        InputStream data = recorder.dump();
        StreamedAnswer out;
        try {
            out = then.stream(OCTETS);
        } catch (IOException | RuntimeException e) {
            data.close();
            throw e;
        }
        long bytes = send(data, out);
        BUSY.set(false);
        if (bytes >= 0) {
            Log.info("recording: dump sent; its data is kept peer=" + then.peer() + " bytes=" + bytes);
            out.end();
        }
    }

    /** Sends and closes the data. Returns its bytes; -1 if the response is cut, as its status has been sent. */
    private long send(InputStream data, StreamedAnswer out) {
        long bytes = 0;
        try (data) {
            byte[] buffer = new byte[BUFFER];
            long endNs = System.nanoTime() + MAX_DUMP_S * NS_PER_S;
            for (int count = data.read(buffer); count >= 0; count = data.read(buffer)) {
                out.write(buffer, 0, count);
                bytes += count;
                if (System.nanoTime() - endNs > 0) {
                    throw new IOException("the client has not read the dump in " + MAX_DUMP_S + " s");
                }
            }
            out.flush();
            return bytes;
        } catch (IOException | RuntimeException | Error e) {
            out.cut();
            Log.warn("recording: " + e + "; cutting the dump peer=" + then.peer() + " bytes=" + bytes);
            return -1;
        }
    }

    private void start() throws IOException {
        String settings = "remora";
        long durationMs = 60_000;
        long slowMs = 100;
        for (String parameter : RequestTarget.parameters(target)) {
            int sign = parameter.indexOf('=');
            String value = parameter.substring(sign + 1);
            switch (parameter.substring(0, Math.max(0, sign))) {
                case "settings" -> settings = value;
                case "duration" -> durationMs = ms(parameter, value);
                case "slow" -> slowMs = ms(parameter, value);
                default ->
                    throw new IllegalArgumentException("'" + parameter
                            + "' is not a parameter, expected settings=remora, duration=60s or slow=100ms");
            }
        }
        if (hasRoom()) {
            recorder.start(settings, durationMs, slowMs);
            Log.info("recording: started; stops after " + durationMs + " ms settings=" + settings + " slow_ms=" + slowMs
                    + " peer=" + then.peer());
            told(200, recorder.state());
        }
    }

    /** Returns false if the client has received the reason why the memory limit holds no recording. */
    private boolean hasRoom() {
        long limitBytes = control.memory().limitBytes();
        long usageBytes = control.memoryUsageBytes();
        if (limitBytes <= 0 || usageBytes >= 0 && limitBytes - usageBytes >= Recorder.ROOM_BYTES) {
            return true;
        }
        String room = usageBytes < 0 ? "an unknown number of" : Long.toString(limitBytes - usageBytes);
        String why = "the memory limit has " + room + " bytes free, and a recording may need " + Recorder.ROOM_BYTES;
        Log.warn("recording: " + why + "; it does not start peer=" + then.peer());
        told(503, why + '\n');
        return false;
    }

    private static long ms(String parameter, String value) {
        long ns = Units.DURATION.read(value);
        if (ns < NS_PER_MS || ns > MAX_NS) {
            throw new IllegalArgumentException("'" + parameter + "' is no duration between 1ms and 24h");
        }
        return ns / NS_PER_MS;
    }
}
