package io.remora.admin;

import io.remora.config.model.AdminConfig;
import io.remora.log.Log;
import io.remora.process.VmCommands;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The pages of the heap: {@code POST /heap-histogram} counts its objects, {@code POST /heap-dump} writes them to a file. A separate
 * thread waits for the JVM, which stops all others meanwhile.
 *
 * <p>Bounds: one at a time in the process. Cost: loaded by the first such request.
 */
final class HeapPages implements Runnable {
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

    /** True while a page of the heap is being made. */
    private static final AtomicBoolean BUSY = new AtomicBoolean();

    private final ProxyControl control;
    private final LaterReply then;
    private final boolean dump;

    private HeapPages(ProxyControl control, LaterReply then, boolean dump) {
        this.control = control;
        this.then = then;
        this.dump = dump;
    }

    /** Begins a histogram or a dump, or reports what is wrong with the request. */
    static void begin(ProxyControl control, String target, ReloadOutcome asker) {
        // each asker of an admin page is one; as a parameter, it would load both types at each start
        LaterReply then = (LaterReply) asker;
        boolean dump = RequestTarget.path(target).equals(DUMP);
        if (!RequestTarget.parameters(target).isEmpty()) {
            then.told(400, "this page has no parameters\n");
        } else if (BUSY.compareAndSet(false, true)) {
            Thread thread = new Thread(new HeapPages(control, then, dump), "remora-heap");
            thread.setDaemon(true);
            thread.start();
        } else {
            then.told(409, "another page of the heap is being made; try again when it has ended\n");
        }
    }

    @Override
    public void run() {
        try {
            if (dump) {
                dump();
            } else {
                histogram();
            }
        } catch (IOException e) {
            failed(String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            failed(e.toString());
        } finally {
            BUSY.set(false);
        }
    }

    private void failed(String why) {
        Log.warn(
                "heap: " + why + "; " + (dump ? "there is no dump" : "there is no histogram") + " peer=" + then.peer());
        then.told(503, why + '\n');
    }

    private void histogram() throws IOException {
        String text = VmCommands.execute("GC.class_histogram");
        StreamedAnswer out = then.stream(Reply.TEXT);
        try {
            out.write(text.getBytes(StandardCharsets.UTF_8));
            out.end();
            Log.info("heap: histogram taken; sent it peer=" + then.peer() + " bytes=" + text.length());
        } catch (IOException | RuntimeException e) {
            out.cut();
            Log.warn("heap: " + e.getMessage() + "; cutting the histogram peer=" + then.peer());
        }
    }

    private void dump() throws IOException {
        AdminConfig admin = control.config().admin();
        String directory = admin.heapDump();
        if (directory == null) {
            throw new IOException("heap dumps are no longer allowed");
        }
        long startNs = System.nanoTime();
        HeapDump written = HeapDump.write(directory, control.memory().limitBytes(), control.memoryUsageBytes());
        Log.warn("heap: dump written, which holds keys, tokens and bodies; all threads had stopped file="
                + written.path() + " bytes=" + written.bytes() + " ms="
                + (System.nanoTime() - startNs) / NS_PER_MS + " peer=" + then.peer());
        then.told(200, written.path() + " " + written.bytes() + '\n');
    }
}
