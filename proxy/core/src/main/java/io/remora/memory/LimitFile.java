package io.remora.memory;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The file of the cgroup's memory limit, which may change while the process runs.
 *
 * <p>Thread safe. Cost: an open file; loaded only under a cgroup's limit.
 */
final class LimitFile implements AutoCloseable {
    static final long UNKNOWN = -1;

    private static final int MOST_DIGITS = 18;

    private final RandomAccessFile file;
    private final byte[] octets = new byte[32];
    private final long mostBytes;

    private LimitFile(RandomAccessFile file, long mostBytes) {
        this.file = file;
        this.mostBytes = mostBytes;
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

    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException e) {
            // it was only read
        }
    }
}
