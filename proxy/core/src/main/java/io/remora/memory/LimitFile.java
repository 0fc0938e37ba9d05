package io.remora.memory;

import io.remora.config.model.LogComponent;
import io.remora.log.Log;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The file of the cgroup's memory limit, which may change while the process runs, and the plan under what it says.
 *
 * <p>Thread safe. Cost: an open file; loaded only under a cgroup's limit.
 */
final class LimitFile implements AutoCloseable {
    static final long UNKNOWN = -1;

    private static final int MOST_DIGITS = 18;

    private final RandomAccessFile file;
    private final byte[] octets = new byte[32];
    private final long mostBytes;
    /** The limit that was followed last. */
    private volatile long limitBytes;
    /** Bytes of a limit that cannot hold the plan; 0 where it holds, negative while it is that of the start. */
    private volatile long tooLowBytes = -1;

    private LimitFile(RandomAccessFile file, long mostBytes) {
        this.file = file;
        this.mostBytes = mostBytes;
        this.limitBytes = bytes();
    }

    /**
     * Opens the file of a limit, of version 1 or 2; null where it is none, or cannot be read.
     *
     * @param machineBytes that stand for no limit; 0 where they are not known
     */
    static @Nullable LimitFile open(String path, long machineBytes) {
        if (!path.endsWith("/memory.max") && !path.endsWith("/memory.limit_in_bytes")) {
            return null;
        }
        try {
            return new LimitFile(new RandomAccessFile(path, "r"), machineBytes > 0 ? machineBytes : Long.MAX_VALUE);
        } catch (IOException e) {
            return null;
        }
    }

    /** Returns the limit, at most the machine's memory; {@link #UNKNOWN} where the kernel does not tell. */
    synchronized long bytes() {
        int length;
        try {
            file.seek(0);
            length = file.read(octets);
        } catch (IOException e) {
            return UNKNOWN;
        }
        String text = length <= 0 ? "" : new String(octets, 0, length, StandardCharsets.US_ASCII).trim();
        if (text.equals("max") || text.length() > MOST_DIGITS) {
            return mostBytes;
        }
        long bytes = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < '0' || c > '9') {
                return UNKNOWN;
            }
            bytes = bytes * 10 + c - '0';
        }
        return bytes == 0 ? UNKNOWN : Math.min(bytes, mostBytes);
    }

    /** Returns whether the file says something else than what was followed last. */
    boolean hasChanged() {
        return bytes() != limitBytes;
    }

    /** Returns whether the limit has changed since the start. */
    boolean isFollowed() {
        return tooLowBytes >= 0;
    }

    /** Returns why the limit, as it is now, cannot hold the plan; null where it can. */
    @Nullable
    String tooLow() {
        long bytes = tooLowBytes;
        return bytes <= 0
                ? null
                : "memory limit " + bytes
                        + " bytes is too low for the heap and the JVM; raise it, or restart the process";
    }

    /**
     * Returns the plan under the limit as it is now, null where the limit is still the same. The heap stays as it is; buffers, connections
     * and exchanges follow.
     *
     * @param loops how many event loops share the plan
     */
    @Nullable
    MemoryPlan follow(MemoryPlan plan, int loops) {
        long bytes = bytes();
        if (bytes == UNKNOWN || bytes == limitBytes) {
            return null;
        }
        long before = limitBytes;
        limitBytes = bytes;
        MemoryPlan next = plan.under(bytes, loops);
        boolean holds = next.problem() == null;
        tooLowBytes = holds ? 0 : bytes;
        String change = "memory: limit changed from " + before + " to " + bytes + " bytes; ";
        if (holds) {
            Log.info(LogComponent.MEMORY, change + next.bounds() + "; event loops stay");
            return next;
        }
        // what is bounded by less than it needs would serve nobody, while there may be room
        MemoryPlan kept = plan.judgedBy(bytes);
        Log.warn(LogComponent.MEMORY, change + "too low for the plan, keeping " + kept.bounds());
        return kept;
    }

    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException e) {
            // it was only read
        }
    }
}
