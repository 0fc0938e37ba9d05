package io.remora.admin;

import io.remora.config.keys.Units;
import io.remora.log.Log;
import io.remora.transport.LongTurns;
import io.remora.transport.LoopWatch;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A {@code POST /long-turns}: watches the event loops for a while, and sends the stacks of long turns as they come. The
 * page's thread takes the samples.
 *
 * <p>Bounds: one at a time in the process, five minutes. Cost: loaded by the first such request; the thread wakes up five
 * times in the time of a long turn.
 */
final class LongTurnsPage implements SlowPage.Work {
    /**
     * Streams the turns of event loops that take at least {@code ?above=50ms}, for {@code duration=10s} up to {@code 5m},
     * with the stacks that hold them. See [long turns](#long-turns). Only one client can watch at a time; a second request
     * gets 409. Requires {@code admin.profile: true}.
     */
    static final String PATH = "/long-turns";

    private static final String DURATION = "duration";
    private static final String ABOVE = "above";
    /** Samples in the time of a long turn. */
    private static final int SAMPLES = 5;

    private static final long NS_PER_MS = 1_000_000;
    private static final long NS_PER_S = 1_000_000_000L;
    private static final long DURATION_NS = 10 * NS_PER_S;
    private static final long MAX_DURATION_NS = 300 * NS_PER_S;
    private static final long ABOVE_NS = 50 * NS_PER_MS;
    private static final long MIN_ABOVE_NS = 20 * NS_PER_MS;
    private static final long MAX_ABOVE_NS = 10 * NS_PER_S;
    /** Time without a line until an empty one is sent: a client that has left shows by a write alone. */
    private static final long QUIET_NS = NS_PER_S;

    private static final SlowPage PAGE =
            new SlowPage("long-turns", "another client is watching the event loops; try again when it has ended");

    private final LoopWatch loops;
    private final long durationNs;
    private final long aboveNs;

    private LongTurnsPage(LoopWatch loops, long durationNs, long aboveNs) {
        this.loops = loops;
        this.durationNs = durationNs;
        this.aboveNs = aboveNs;
    }

    /**
     * Begins to watch.
     *
     * @param loops null before they run
     * @throws IllegalArgumentException with the problem of a parameter
     */
    static void begin(@Nullable LoopWatch loops, String target, ReloadOutcome asker) {
        // each asker of an admin page is one; as a parameter, it would load both types at each start
        LaterReply then = (LaterReply) asker;
        Parameters given = Parameters.of(target, DURATION + "=10s", ABOVE + "=50ms");
        long durationNs = given.durationNs(DURATION, DURATION_NS, NS_PER_S, MAX_DURATION_NS);
        long aboveNs = given.durationNs(ABOVE, ABOVE_NS, MIN_ABOVE_NS, MAX_ABOVE_NS);
        if (loops == null) {
            then.told(503, "the event loops do not run yet\n");
        } else {
            PAGE.begin(then, new LongTurnsPage(loops, durationNs, aboveNs));
        }
    }

    @Override
    public void answer(SlowPage.Turn turn) throws IOException, InterruptedException {
        StreamedAnswer out = turn.stream(Reply.TEXT);
        LongTurns turns = loops.longTurns(aboveNs);
        long startNs = System.nanoTime();
        long endNs = startNs + durationNs;
        long sentNs = startNs;
        StringBuilder text = new StringBuilder();
        for (long nowNs = startNs; nowNs - endNs < 0; nowNs = System.nanoTime()) {
            Thread.sleep(Math.max(1, Math.min(Math.min(aboveNs / SAMPLES, QUIET_NS), endNs - nowNs) / NS_PER_MS));
            nowNs = System.nanoTime();
            out.touch();
            turns.sample(nowNs, text);
            if (text.length() == 0 && nowNs - sentNs >= QUIET_NS) {
                text.append('\n');
            }
            if (text.length() > 0) {
                sentNs = nowNs;
                send(out, text);
                // the client may have been slow to read
                turns.resume(System.nanoTime());
            }
        }
        turns.end(System.nanoTime(), text);
        text.append(turns.count())
                .append(turns.count() == 1 ? " turn of " : " turns of ")
                .append(Units.DURATION.format(aboveNs));
        text.append(" or more in ").append(Units.DURATION.format(durationNs)).append(", the longest of ");
        text.append(turns.longestNs() / NS_PER_MS).append(" ms\n");
        send(out, text);
        Log.info("long-turns: loops watched for " + Units.DURATION.format(durationNs) + "; sent " + turns.count()
                + " turns peer=" + turn.peer() + " bytes=" + turn.end());
    }

    private static void send(StreamedAnswer out, StringBuilder text) throws IOException {
        out.write(text.toString().getBytes(StandardCharsets.UTF_8));
        out.flush();
        text.setLength(0);
    }
}
