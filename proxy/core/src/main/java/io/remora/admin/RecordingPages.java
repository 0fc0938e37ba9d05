package io.remora.admin;

import io.remora.http1.WholeRequests;
import io.remora.log.Log;
import java.io.IOException;
import java.io.InputStream;

/**
 * The pages of the flight recorder, in images that have one. Starting, stopping and dumping wait for the disk or for the
 * client, and run on a separate thread, as the admin thread answers probes.
 *
 * <p>Thread safe. Bounds: one request at a time, next to one stream of events, and {@value #MAX_DUMP_S} seconds for a dump,
 * which keeps its chunks from being deleted. Cost: loaded by the first request in images with a recorder.
 */
final class RecordingPages implements SlowPage.Work {
    /** Lines of the index. */
    static final String INDEX = """
            GET  /recording          state of the flight recorder
            POST /recording/start    record; ?settings=remora|default|profile&duration=60s&slow=100ms
            POST /recording/stop     stop recording; the data can still be dumped
            POST /recording/discard  delete the recording
            POST /recording/dump     the recording so far, as a JFR file
            POST /recording/stream   its events as lines of JSON; ?events=io.remora.Exchange,jdk.GCPhasePause&duration=60s
            """;

    private static final String STATE = "/recording";
    private static final String START = "/recording/start";
    private static final String STOP = "/recording/stop";
    private static final String DISCARD = "/recording/discard";
    private static final String DUMP = "/recording/dump";
    private static final String NO_RECORDING = "no recording\n";
    private static final String OCTETS = "application/octet-stream";
    private static final long MAX_DUMP_S = 300;
    private static final long NS_PER_MS = 1_000_000;
    private static final long NS_PER_S = 1_000_000_000;
    private static final long DURATION_NS = 60 * NS_PER_S;
    private static final long SLOW_NS = 100 * NS_PER_MS;
    private static final long MAX_NS = 24 * 3_600 * NS_PER_S;

    /** The recorder has one lock, and a client must not pile threads up behind it. */
    private static final SlowPage PAGE =
            new SlowPage("recording", "another request to the recorder is in progress; try again when it has ended");

    private final ProxyControl control;
    private final Recorder recorder;
    private final String target;

    private RecordingPages(ProxyControl control, Recorder recorder, String target) {
        this.control = control;
        this.recorder = recorder;
        this.target = target;
    }

    static boolean has(String path) {
        return path.equals(STATE) || path.startsWith(STATE + '/');
    }

    /** Returns whether {@link #begin} answers the request. */
    static boolean takesTime(WholeRequests request) {
        return switch (RequestTarget.path(request.target())) {
            case START, STOP, DISCARD, DUMP, RecordingStreamPage.PATH ->
                request.method().equals("POST");
            default -> false;
        };
    }

    /** Answers a request that takes no time: for the state, or one with another method. */
    static Reply answer(Recorder recorder, WholeRequests request) {
        return switch (RequestTarget.path(request.target())) {
            case STATE ->
                Pages.reads(request) ? Reply.text(200, recorder.state()) : Reply.methodNotAllowed(Pages.READ_METHODS);
            case START, STOP, DISCARD, DUMP, RecordingStreamPage.PATH -> Reply.methodNotAllowed("POST");
            default -> Pages.notFound();
        };
    }

    static void begin(ProxyControl control, Recorder recorder, String target, ReloadOutcome asker) {
        // each asker of an admin page is one; as a parameter, it would load both types at each start
        LaterReply then = (LaterReply) asker;
        if (RequestTarget.path(target).equals(RecordingStreamPage.PATH)) {
            RecordingStreamPage.begin(recorder, target, then);
        } else {
            PAGE.begin(then, new RecordingPages(control, recorder, target));
        }
    }

    @Override
    public void answer(SlowPage.Turn turn) throws IOException {
        try {
            act(turn);
        } catch (IOException | RuntimeException | Error e) {
            if (turn.hasBegun()) {
                throw e;
            }
            refuse(turn, e);
        }
    }

    private void act(SlowPage.Turn turn) throws IOException {
        switch (RequestTarget.path(target)) {
            case START -> start(turn);
            case STOP -> tell(turn, recorder.stop(), "stopped; its data is kept");
            case DISCARD -> tell(turn, recorder.discard(), "discarded; its data is deleted");
            default -> dump(turn);
        }
    }

    // a directory that cannot be written reaches this from the recorder as an error or an exception of its own
    private static void refuse(SlowPage.Turn turn, Throwable why) {
        if (!turn.refuse(why)) {
            Log.warn("recording: " + why + "; request failed peer=" + turn.peer());
            turn.told(500, why + "\n");
        }
    }

    private void tell(SlowPage.Turn turn, boolean done, String what) {
        if (done) {
            Log.info("recording: " + what + " peer=" + turn.peer());
        }
        turn.told(done ? 200 : 409, done ? recorder.state() : NO_RECORDING);
    }

    private void dump(SlowPage.Turn turn) throws IOException {
        try (InputStream data = recorder.dump()) {
            StreamedAnswer out = turn.stream(OCTETS);
            out.endBy(System.nanoTime() + MAX_DUMP_S * NS_PER_S);
            data.transferTo(out);
        }
        Log.info("recording: dump sent; its data is kept peer=" + turn.peer() + " bytes=" + turn.end());
    }

    private void start(SlowPage.Turn turn) throws IOException {
        Parameters given = Parameters.of(target, "settings=remora", "duration=60s", "slow=100ms");
        String settings = given.text("settings", "remora");
        long durationMs = given.durationNs("duration", DURATION_NS, NS_PER_MS, MAX_NS) / NS_PER_MS;
        long slowMs = given.durationNs("slow", SLOW_NS, NS_PER_MS, MAX_NS) / NS_PER_MS;
        if (hasRoom(turn)) {
            recorder.start(settings, durationMs, slowMs);
            Log.info("recording: started; stops after " + durationMs + " ms settings=" + settings + " slow_ms=" + slowMs
                    + " peer=" + turn.peer());
            turn.told(200, recorder.state());
        }
    }

    /** Returns false if the client has received the reason why the memory limit holds no recording. */
    private boolean hasRoom(SlowPage.Turn turn) {
        long limitBytes = control.memory().limitBytes();
        long usageBytes = control.memoryUsageBytes();
        if (limitBytes <= 0 || usageBytes >= 0 && limitBytes - usageBytes >= Recorder.ROOM_BYTES) {
            return true;
        }
        String room = usageBytes < 0 ? "an unknown number of" : Long.toString(limitBytes - usageBytes);
        String why = "the memory limit has " + room + " bytes free, and a recording may need " + Recorder.ROOM_BYTES;
        Log.warn("recording: " + why + "; it does not start peer=" + turn.peer());
        turn.told(503, why + '\n');
        return false;
    }
}
