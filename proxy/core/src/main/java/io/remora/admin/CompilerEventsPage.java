package io.remora.admin;

import io.remora.log.Log;
import io.remora.process.VmLog;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A {@code POST /compiler-events}: has the JVM log what its compilers do for a while, and sends the lines as they come. A separate thread
 * waits for them.
 *
 * <p>Bounds: one at a time in the process, {@value #MAX_SECONDS} seconds. Cost: loaded by the first such request.
 */
final class CompilerEventsPage implements Runnable {
    /**
     * Streams what the JIT compilers do for {@code ?seconds=10}, up to 300: a line for each method that is compiled or
     * made not entrant. See [compiler events](#compiler-events). Only one client can watch at a time; a second request
     * gets 409. Requires {@code admin.profile: true}.
     */
    static final String PATH = "/compiler-events";

    private static final String PARAMETER = "seconds=";
    private static final int SECONDS = 10;
    private static final int MAX_SECONDS = 300;
    private static final int MAX_DIGITS = 3;
    private static final int BUFFER = 16 << 10;
    private static final long POLL_MS = 100;
    /** Polls without a line until an empty one is sent: a client that has left shows by a write alone. */
    private static final int QUIET_POLLS = 10;

    private static final long NS_PER_S = 1_000_000_000L;

    /** True while a client watches. */
    private static final AtomicBoolean BUSY = new AtomicBoolean();

    private final LaterReply then;
    private final int seconds;

    private CompilerEventsPage(LaterReply then, int seconds) {
        this.then = then;
        this.seconds = seconds;
    }

    /** Begins to watch, or reports what is wrong with the request. */
    static void begin(String target, ReloadOutcome asker) {
        // each asker of an admin page is one; as a parameter, it would load both types at each start
        LaterReply then = (LaterReply) asker;
        int seconds = seconds(RequestTarget.parameters(target));
        if (seconds == 0) {
            then.told(400, "the only parameter is seconds, 1 to " + MAX_SECONDS + '\n');
            return;
        }
        if (!BUSY.compareAndSet(false, true)) {
            then.told(409, "another client is watching the compilers; try again when it has ended\n");
            return;
        }
        Thread thread = new Thread(new CompilerEventsPage(then, seconds), "remora-compiler-events");
        thread.setDaemon(true);
        thread.start();
    }

    /** Returns the parameter or its default; 0 for parameters that are wrong. */
    private static int seconds(List<String> parameters) {
        if (parameters.isEmpty()) {
            return SECONDS;
        }
        String text = parameters.get(0);
        if (parameters.size() > 1
                || !text.startsWith(PARAMETER)
                || text.length() == PARAMETER.length()
                || text.length() > PARAMETER.length() + MAX_DIGITS) {
            return 0;
        }
        int number = 0;
        for (int i = PARAMETER.length(); i < text.length(); i++) {
            int digit = text.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                return 0;
            }
            number = 10 * number + digit;
        }
        return number > MAX_SECONDS ? 0 : number;
    }

    @Override
    public void run() {
        try (VmLog log = open()) {
            if (log != null) {
                watch(log);
            }
        } catch (IOException e) {
            failed(String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            failed("interrupted");
        } catch (RuntimeException e) {
            failed(e.toString());
        } finally {
            BUSY.set(false);
        }
    }

    private void failed(String why) {
        Log.warn("compiler: " + why + "; ending the events peer=" + then.peer());
    }

    /** Returns null if the client has received the reason why there is no log. */
    private @Nullable VmLog open() {
        try {
            // made not entrant and zombies are in the same log
            return VmLog.open("jit+compilation=debug");
        } catch (IOException e) {
            then.told(503, "no compiler events: " + e.getMessage() + '\n');
            return null;
        }
    }

    private void watch(VmLog log) throws IOException, InterruptedException {
        StreamedAnswer out = then.stream(Reply.TEXT);
        try {
            long bytes = 0;
            int quiet = 0;
            byte[] buffer = new byte[BUFFER];
            long endNs = System.nanoTime() + seconds * NS_PER_S;
            while (System.nanoTime() - endNs < 0) {
                Thread.sleep(POLL_MS);
                long sent = send(log, buffer, out);
                bytes += sent;
                quiet = sent > 0 ? 0 : quiet + 1;
                if (quiet == QUIET_POLLS) {
                    quiet = 0;
                    out.write('\n');
                    out.flush();
                }
            }
            log.end();
            bytes += send(log, buffer, out);
            out.end();
            Log.info("compiler: events of " + seconds + " s sent; the log of the JVM is off again peer=" + then.peer()
                    + " bytes=" + bytes);
        } catch (IOException | InterruptedException | RuntimeException e) {
            out.cut();
            throw e;
        }
    }

    private static long send(VmLog log, byte[] buffer, StreamedAnswer out) throws IOException {
        out.touch();
        long bytes = 0;
        for (int count = log.read(buffer); count > 0; count = log.read(buffer)) {
            out.write(buffer, 0, count);
            bytes += count;
        }
        out.flush();
        return bytes;
    }
}
