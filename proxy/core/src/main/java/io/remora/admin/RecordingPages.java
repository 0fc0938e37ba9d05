package io.remora.admin;

import io.remora.config.keys.Units;
import io.remora.http1.WholeRequests;
import io.remora.log.Log;
import io.remora.text.Pieces;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The pages of the flight recorder, in images that have one. Starting, stopping and dumping take up to a second, and run
 * on a thread of their own, as the admin thread answers probes.
 *
 * <p>Thread safe. Bounds: one request at a time. Cost: loaded by the first request in images with a recorder.
 */
final class RecordingPages implements Runnable {
    /** Lines of the index. */
    static final String INDEX = """
            GET  /recording          state of the flight recorder
            POST /recording/start    record; ?settings=remora|default|profile&duration=60s&slow=100ms
            POST /recording/stop     stop recording; the data can still be dumped
            POST /recording/discard  delete the recording
            GET  /recording/dump     the recording so far, as a JFR file
            """;

    private static final String STATE = "/recording";
    private static final String START = "/recording/start";
    private static final String STOP = "/recording/stop";
    private static final String DISCARD = "/recording/discard";
    private static final String DUMP = "/recording/dump";
    private static final String NO_RECORDING = "no recording\n";
    private static final long NS_PER_MS = 1_000_000;
    private static final long MAX_NS = 24 * 3_600_000_000_000L;

    /** Set during a request: the recorder has one lock, and a client must not pile threads up behind it. */
    private static final AtomicBoolean BUSY = new AtomicBoolean();

    private final Recorder recorder;
    private final String target;
    private final ReloadOutcome then;

    private RecordingPages(Recorder recorder, String target, ReloadOutcome then) {
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
            case START, STOP, DISCARD -> request.method().equals("POST");
            case DUMP -> request.method().equals("GET");
            default -> false;
        };
    }

    /** Answers a request that takes no time: for the state, or one with another method. */
    static Reply answer(Recorder recorder, WholeRequests request) {
        return switch (RequestTarget.path(request.target())) {
            case STATE ->
                Pages.reads(request) ? Reply.text(200, recorder.state()) : Reply.methodNotAllowed(Pages.READ_METHODS);
            case START, STOP, DISCARD -> Reply.methodNotAllowed("POST");
            case DUMP -> Reply.methodNotAllowed("GET");
            default -> Pages.notFound();
        };
    }

    static void begin(Recorder recorder, String target, ReloadOutcome then) {
        if (!BUSY.compareAndSet(false, true)) {
            then.told(429, "another request to the recorder is in progress\n");
            return;
        }
        Thread thread = new Thread(new RecordingPages(recorder, target, then), "remora-recording");
        thread.setDaemon(true);
        thread.start();
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
            Log.warn("recording: " + e + "; request failed");
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
            case START -> {
                start();
                Log.info("recording: started; " + RequestTarget.parameters(target));
                told(200, recorder.state());
            }
            case STOP -> tell(recorder.stop(), "stopped");
            case DISCARD -> tell(recorder.discard(), "discarded");
            default -> {
                Log.info("recording: dumped to a client of the admin listener");
                Pieces octets = recorder.dump();
                BUSY.set(false);
                then.told(octets);
            }
        }
    }

    private void tell(boolean done, String what) {
        if (done) {
            Log.info("recording: " + what);
        }
        told(done ? 200 : 409, done ? recorder.state() : NO_RECORDING);
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
        recorder.start(settings, durationMs, slowMs);
    }

    private static long ms(String parameter, String value) {
        long ns = Units.DURATION.read(value);
        if (ns < NS_PER_MS || ns > MAX_NS) {
            throw new IllegalArgumentException("'" + parameter + "' is no duration between 1ms and 24h");
        }
        return ns / NS_PER_MS;
    }
}
