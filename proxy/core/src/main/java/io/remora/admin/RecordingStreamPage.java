package io.remora.admin;

import io.remora.config.keys.Units;
import io.remora.log.Log;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A {@code POST /recording/stream}: sends events of the running recording as they are flushed, a JSON object per line. The
 * recorder reads them on a thread of its own, so that a slow client loses events and holds nothing up.
 *
 * <p>Bounds: one at a time in the process, an hour. Cost: loaded by the first such request in images with a recorder.
 */
final class RecordingStreamPage implements SlowPage.Work {
    static final String PATH = "/recording/stream";

    private static final String EVENTS = "events";
    private static final String DURATION = "duration";
    private static final String JSON_LINES = "application/x-ndjson";
    private static final long POLL_MS = 100;
    /** Polls from one look at the recording and the client's time to the next. */
    private static final int LOOK_PERIOD = 10;

    private static final long NS_PER_S = 1_000_000_000;
    private static final long DURATION_NS = 60 * NS_PER_S;
    private static final long MAX_DURATION_NS = 3_600 * NS_PER_S;
    /** Time in which the last events of a recording that has ended are read. */
    private static final long REST_NS = 3 * NS_PER_S;
    /** Time without a line until an empty one is sent: a client that has left shows by a write alone. */
    private static final long QUIET_NS = NS_PER_S;

    /** Apart from the other requests to the recorder, which go on meanwhile. */
    private static final SlowPage PAGE =
            new SlowPage("recording-stream", "another client is reading events; try again when it has ended");

    private final Recorder recorder;
    private final String target;

    private RecordingStreamPage(Recorder recorder, String target) {
        this.recorder = recorder;
        this.target = target;
    }

    static void begin(Recorder recorder, String target, LaterReply then) {
        PAGE.begin(then, new RecordingStreamPage(recorder, target));
    }

    @Override
    public void answer(SlowPage.Turn turn) throws IOException, InterruptedException {
        long durationNs;
        EventLines events;
        try {
            Parameters given =
                    Parameters.of(target, EVENTS + "=io.remora.Exchange,jdk.GCPhasePause", DURATION + "=60s");
            durationNs = given.durationNs(DURATION, DURATION_NS, NS_PER_S, MAX_DURATION_NS);
            events = recorder.follow(names(given.text(EVENTS, "")));
        } catch (IllegalArgumentException | IllegalStateException e) {
            turn.refuse(e);
            return;
        }
        try (events) {
            StreamedAnswer out = turn.stream(JSON_LINES);
            boolean whole = send(events, out, durationNs);
            String reason = whole ? DURATION : events.isBroken() ? "reader" : "recording";
            String end = "{\"end\":\"" + reason + "\",\"events\":" + events.taken() + ",\"dropped\":" + events.dropped()
                    + "}\n";
            out.write(end.getBytes(StandardCharsets.US_ASCII));
        }
        Log.info("recording-stream: events of " + Units.DURATION.format(durationNs) + " at most sent; count="
                + events.taken() + " dropped=" + events.dropped() + " peer=" + turn.peer() + " bytes=" + turn.end());
    }

    private static List<String> names(String list) {
        List<String> names = new ArrayList<>();
        int from = 0;
        while (from < list.length()) {
            int comma = list.indexOf(',', from);
            int to = comma < 0 ? list.length() : comma;
            names.add(list.substring(from, to));
            from = to + 1;
        }
        return names;
    }

    /** Returns false if the recording has ended before the time. */
    private static boolean send(EventLines events, StreamedAnswer out, long durationNs)
            throws IOException, InterruptedException {
        boolean over = false;
        long nowNs = System.nanoTime();
        long endNs = nowNs + durationNs;
        long sentNs = nowNs;
        for (int poll = 0; nowNs - endNs < 0; poll++) {
            Thread.sleep(POLL_MS);
            boolean looks = poll % LOOK_PERIOD == 0;
            if (looks) {
                out.touch();
            }
            byte[] lines = events.take();
            nowNs = System.nanoTime();
            if (lines.length > 0 || nowNs - sentNs >= QUIET_NS) {
                out.write(lines);
                if (lines.length == 0) {
                    out.write('\n');
                }
                out.flush();
                sentNs = nowNs;
            }
            if (looks && !over && events.isOver()) {
                over = true;
                endNs = Math.min(endNs - nowNs, REST_NS) + nowNs;
            }
        }
        return !over;
    }
}
