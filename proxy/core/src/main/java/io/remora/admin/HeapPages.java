package io.remora.admin;

import io.remora.config.model.AdminConfig;
import io.remora.log.Log;
import io.remora.process.VmCommands;
import java.io.IOException;

/**
 * The pages of the heap: {@code POST /heap-histogram} counts its objects, {@code POST /heap-dump} writes them to a file. The
 * page's thread waits for the JVM, which stops all others meanwhile.
 *
 * <p>Bounds: one at a time in the process. Cost: loaded by the first such request.
 */
final class HeapPages implements SlowPage.Work {
    /**
     * Returns the number of objects in the heap and their bytes for each class, the largest first. It collects garbage
     * first, which stops all threads. Only one page of the heap is served at a time; a second request gets 409.
     * Requires {@code admin.profile: true}.
     */
    static final String HISTOGRAM = "/heap-histogram";
    /**
     * Writes the objects in the heap to a file in the directory that {@code admin.heap-dump} names, and returns its path
     * and size. All threads stop until it is complete. See [heap dumps](#heap-dumps). If the volume or the memory limit
     * does not have enough room, the response is 503, and no file is written.
     */
    static final String DUMP = "/heap-dump";

    private static final long NS_PER_MS = 1_000_000;

    private static final SlowPage PAGE =
            new SlowPage("heap", "another page of the heap is being made; try again when it has ended");

    private final ProxyControl control;
    private final boolean dump;

    private HeapPages(ProxyControl control, boolean dump) {
        this.control = control;
        this.dump = dump;
    }

    /**
     * Begins a histogram or a dump.
     *
     * @throws IllegalArgumentException with the problem of a parameter
     */
    static void begin(ProxyControl control, String target, ReloadOutcome asker) {
        // each asker of an admin page is one; as a parameter, it would load both types at each start
        LaterReply then = (LaterReply) asker;
        Parameters.of(target);
        PAGE.begin(then, new HeapPages(control, RequestTarget.path(target).equals(DUMP)));
    }

    @Override
    public void answer(SlowPage.Turn turn) throws IOException {
        if (dump) {
            dump(turn);
        } else {
            histogram(turn);
        }
    }

    private static void histogram(SlowPage.Turn turn) throws IOException {
        long bytes = turn.send(VmCommands.execute("GC.class_histogram"));
        Log.info("heap: histogram taken; sent it peer=" + turn.peer() + " bytes=" + bytes);
    }

    private void dump(SlowPage.Turn turn) throws IOException {
        AdminConfig admin = control.config().admin();
        String directory = admin.heapDump();
        if (directory == null) {
            throw new IOException("heap dumps are no longer allowed");
        }
        long startNs = System.nanoTime();
        HeapDump written = HeapDump.write(directory, control.memory().limitBytes(), control.memoryUsageBytes());
        Log.warn("heap: dump written, which holds keys, tokens and bodies; all threads had stopped file="
                + written.path() + " bytes=" + written.bytes() + " ms="
                + (System.nanoTime() - startNs) / NS_PER_MS + " peer=" + turn.peer());
        turn.told(200, written.path() + " " + written.bytes() + '\n');
    }
}
