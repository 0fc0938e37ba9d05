package io.remora.admin;

import io.remora.config.keys.Units;
import io.remora.log.Log;
import io.remora.process.VmLog;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * A {@code POST /compiler-events}: has the JVM log what its compilers do for a while, and sends the lines as they come. The
 * page's thread waits for them.
 *
 * <p>Bounds: one at a time in the process, five minutes. It ends early once {@value #MAX_UNREAD_BYTES} bytes were not sent,
 * which are in memory. Cost: loaded by the first such request.
 */
final class CompilerEventsPage implements SlowPage.Work {
    /**
     * Streams what the JIT compilers do for {@code ?duration=10s}, up to {@code 5m}: a line for each method that is
     * compiled or made not entrant. See [compiler events](#compiler-events). Only one client can watch at a time; a
     * second request gets 409. Requires {@code admin.profile: true}.
     */
    static final String PATH = "/compiler-events";

    /** Bytes of the log that a client may be late by. */
    static final int MAX_UNREAD_BYTES = 1 << 20;

    private static final String DURATION = "duration";
    private static final int BUFFER = 16 << 10;
    private static final long POLL_MS = 100;
    /** Polls without a line until an empty one is sent: a client that has left shows by a write alone. */
    private static final int QUIET_POLLS = 10;

    private static final long NS_PER_S = 1_000_000_000L;
    private static final long DURATION_NS = 10 * NS_PER_S;
    private static final long MAX_DURATION_NS = 300 * NS_PER_S;
    /** Time in which the rest of the log is sent after its end. */
    private static final long REST_NS = 10 * NS_PER_S;

    private static final SlowPage PAGE =
            new SlowPage("compiler", "another client is watching the compilers; try again when it has ended");

    private final long durationNs;

    private CompilerEventsPage(long durationNs) {
        this.durationNs = durationNs;
    }

    /**
     * Begins to watch.
     *
     * @throws IllegalArgumentException with the problem of a parameter
     */
    static void begin(String target, ReloadOutcome asker) {
        // each asker of an admin page is one; as a parameter, it would load both types at each start
        LaterReply then = (LaterReply) asker;
        long durationNs =
                Parameters.of(target, DURATION + "=10s").durationNs(DURATION, DURATION_NS, NS_PER_S, MAX_DURATION_NS);
        PAGE.begin(then, new CompilerEventsPage(durationNs));
    }

    @Override
    public void answer(SlowPage.Turn turn) throws IOException, InterruptedException {
        int dropped;
        // made not entrant and zombies are in the same log
        try (VmLog log = VmLog.open("jit+compilation=debug")) {
            StreamedAnswer out = turn.stream(Reply.TEXT);
            dropped = watch(log, out);
            if (dropped > 0) {
                // the last line may be cut
                String line = "\nremora: the client reads too slowly; " + dropped + " bytes of the log were dropped\n";
                out.write(line.getBytes(StandardCharsets.US_ASCII));
            }
        }
        String bytes = " peer=" + turn.peer() + " bytes=" + turn.end();
        if (dropped > 0) {
            Log.warn("compiler: the client reads too slowly; ending the events" + bytes + " dropped=" + dropped);
        } else {
            Log.info("compiler: events of " + Units.DURATION.format(durationNs)
                    + " sent; the log of the JVM is off again" + bytes);
        }
    }

    /** Returns the bytes that the client did not receive, as it reads too slowly. */
    private int watch(VmLog log, StreamedAnswer out) throws IOException, InterruptedException {
        int quiet = 0;
        byte[] buffer = new byte[BUFFER];
        long endNs = System.nanoTime() + durationNs;
        while (System.nanoTime() - endNs < 0 && log.available() <= MAX_UNREAD_BYTES) {
            Thread.sleep(POLL_MS);
            out.touch();
            quiet = send(log, buffer, out, endNs) ? 0 : quiet + 1;
            if (quiet == QUIET_POLLS) {
                quiet = 0;
                out.write('\n');
                out.flush();
            }
        }
        log.end();
        send(log, buffer, out, System.nanoTime() + REST_NS);
        return log.available();
    }

    /**
     * Sends what the log has until then, unless the client is too late.
     *
     * @return whether there was anything
     */
    static boolean send(InputStream log, byte[] buffer, OutputStream out, long endNs) throws IOException {
        boolean any = false;
        while (System.nanoTime() - endNs < 0 && log.available() <= MAX_UNREAD_BYTES) {
            int count = log.read(buffer);
            if (count <= 0) {
                break;
            }
            out.write(buffer, 0, count);
            any = true;
        }
        out.flush();
        return any;
    }
}
