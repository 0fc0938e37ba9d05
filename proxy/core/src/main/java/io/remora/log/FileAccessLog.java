package io.remora.log;

import io.remora.config.model.ProxyConfig;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The access log on standard output or in a file.
 *
 * <p>Owner: any thread may call {@link #log}; a separate thread formats and writes. Cost: one slot of the ring for the
 * caller, and at most twenty wake-ups of the writer a second. Bounds: those of {@link AccessQueue}; entries beyond them
 * are dropped and counted, as are entries that could not be written.
 */
public final class FileAccessLog implements AccessLog, Runnable {
    private static final int BATCH_BYTES = 8 * 1024;
    private static final long LINGER_NS = 50_000_000L;
    private static final long CLOSE_MS = 1_000;

    private final AccessQueue queue;
    private final int wakeAt;
    private final AccessFormatter formatter;
    private final AccessOutput output;
    /** Null where every exchange has a line. */
    private final @Nullable AccessSample sample;

    private final LineBuffer lines = new LineBuffer();
    private final AtomicLong dropped = new AtomicLong();
    private final Thread writer = new Thread(this, "remora-access-log");
    private volatile boolean idle;
    private volatile boolean closing;
    private boolean failing;

    private FileAccessLog(AccessLogConfig config, AccessOutput output) {
        this.output = output;
        queue = new AccessQueue(config.queueEntries());
        wakeAt = Math.max(1, queue.capacity() / 2);
        formatter = new AccessFormatter(config.format());
        sample = config.sample() == AccessLogConfig.ALL ? null : new AccessSample(config.sample());
        writer.setDaemon(true);
    }

    /** Opens the access log of a configuration that has one. */
    public static AccessLog of(ProxyConfig config) throws IOException {
        return open(Objects.requireNonNull(config.options().get(AccessLogConfig.ACCESS_LOG)));
    }

    static AccessLog open(AccessLogConfig config) throws IOException {
        FileAccessLog log = new FileAccessLog(config, AccessOutput.open(config.output()));
        log.writer.start();
        return log;
    }

    @Override
    public boolean takes(boolean failed) {
        return failed || sample == null || sample.takes();
    }

    @Override
    public long skipped() {
        return sample == null ? -1 : sample.skipped();
    }

    @Override
    public void log(AccessEntry entry) {
        int waiting = closing ? AccessQueue.FULL : queue.offer(entry);
        if (waiting == AccessQueue.FULL) {
            dropped.incrementAndGet();
        } else if (idle || waiting == wakeAt) {
            idle = false;
            LockSupport.unpark(writer);
        }
    }

    @Override
    public long dropped() {
        return dropped.get();
    }

    @Override
    public void close() {
        closing = true;
        LockSupport.unpark(writer);
        try {
            writer.join(CLOSE_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        int left = queue.size();
        if (left > 0) {
            Log.warn("access log: " + left + " entries not written before the end; they are lost");
        }
    }

    @Override
    public void run() {
        while (true) {
            if (writeBatch()) {
                // Lines that arrive shortly after one another are written together, after a single wake-up.
                if (!closing && queue.size() < wakeAt) {
                    LockSupport.parkNanos(this, LINGER_NS);
                }
            } else if (closing) {
                break;
            } else {
                awaitEntry();
            }
        }
        try {
            output.close();
        } catch (IOException e) {
            Log.warn("access log: " + e.getMessage());
        }
    }

    private void awaitEntry() {
        idle = true;
        if (queue.size() == 0 && !closing) {
            LockSupport.park(this);
        }
        idle = false;
    }

    private boolean writeBatch() {
        int count = 0;
        AccessEntry entry = null;
        while (lines.length() < BATCH_BYTES && (entry = queue.poll()) != null) {
            formatter.append(lines, entry);
            count++;
        }
        if (count == 0) {
            return false;
        }
        try {
            output.write(lines);
            failing = false;
        } catch (IOException e) {
            dropped.addAndGet(count);
            if (!failing) {
                Log.warn("access log: " + e.getMessage() + "; dropping lines until a write succeeds");
            }
            failing = true;
        }
        lines.clear();
        return true;
    }
}
