package io.remora.log;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The sidecar's own log between those who write lines and an output that may block for good, such as a pipe that nobody reads.
 *
 * <p>Owner: any thread; none waits for the output except in {@link #drain}. A thread writes while there are lines, and ends
 * {@value #LINGER_MS} ms after the last one. Bounds: {@value #MAX_BYTES} octets of lines, the one under way included. A line
 * beyond them, or one that the output refuses, is dropped and counted; the next line that fits says how many were.
 */
final class LogQueue implements Runnable {
    static final int MAX_BYTES = 64 * 1024;
    private static final long LINGER_MS = 5_000;

    private final OutputStream out;
    private final ArrayDeque<Line> lines = new ArrayDeque<>();
    /** Octets of the lines that are not written yet. */
    private int bytes;

    private long dropped;
    /** The dropped ones that a line has told which is written or waits. */
    private long told;

    private @Nullable Thread writer;

    /** A line that waits. */
    private static final class Line {
        private final byte[] octets;
        /** The number of drops that it tells. */
        private final long drops;

        Line(byte[] octets, long drops) {
            this.octets = octets;
            this.drops = drops;
        }
    }

    /**
     * @param out unbuffered, so that a line is one write
     */
    LogQueue(OutputStream out) {
        this.out = out;
    }

    /**
     * Adds a line.
     *
     * @param line with its end
     */
    synchronized void offer(byte[] line) {
        long drops = dropped - told;
        byte[] whole = drops == 0 ? line : withDrops(line, drops);
        if (bytes + whole.length > MAX_BYTES) {
            dropped++;
            return;
        }
        told = dropped;
        lines.addLast(new Line(whole, drops));
        bytes += whole.length;
        if (writer == null) {
            beginWriting();
        } else {
            notifyAll();
        }
    }

    private static byte[] withDrops(byte[] line, long count) {
        byte[] end = (" dropped=" + count + '\n').getBytes(StandardCharsets.US_ASCII);
        byte[] whole = Arrays.copyOf(line, line.length - 1 + end.length);
        System.arraycopy(end, 0, whole, line.length - 1, end.length);
        return whole;
    }

    private void beginWriting() {
        Thread started = new Thread(this, "remora-log");
        started.setDaemon(true);
        try {
            started.start();
            writer = started;
        } catch (OutOfMemoryError e) {
            // there can be no more threads: the line waits for the next one, which tries again
            writer = null;
        }
    }

    @Override
    public void run() {
        for (Line line = next(); line != null; line = next()) {
            boolean written = false;
            try {
                out.write(line.octets);
                written = true;
            } catch (IOException | RuntimeException | Error e) {
                // counted below; there is nowhere else to say so, and an end of this thread would be the log's
            } finally {
                settle(line, written);
            }
        }
    }

    /** The next line; null where none has come for a while. */
    private synchronized @Nullable Line next() {
        long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LINGER_MS);
        while (lines.isEmpty()) {
            long leftNs = endNs - System.nanoTime();
            if (leftNs <= 0 || !await(leftNs)) {
                writer = null;
                return null;
            }
        }
        return lines.pollFirst();
    }

    private synchronized void settle(Line line, boolean written) {
        bytes -= line.octets.length;
        if (!written) {
            dropped++;
            told -= line.drops;
        }
        notifyAll();
    }

    /** Waits until all lines are written, for at most {@code maxMs}; returns whether they are. */
    synchronized boolean drain(long maxMs) {
        if (writer == null && bytes > 0) {
            beginWriting();
        }
        long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(maxMs);
        while (bytes > 0) {
            long leftNs = endNs - System.nanoTime();
            if (leftNs <= 0 || !await(leftNs)) {
                return false;
            }
        }
        return true;
    }

    /** Waits under the lock until something changes; false where the thread is interrupted. */
    private synchronized boolean await(long maxNs) {
        try {
            TimeUnit.NANOSECONDS.timedWait(this, maxNs);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    synchronized long dropped() {
        return dropped;
    }
}
