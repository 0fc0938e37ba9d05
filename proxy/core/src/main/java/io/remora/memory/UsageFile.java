package io.remora.memory;

import java.io.IOException;
import java.io.RandomAccessFile;
import org.jspecify.annotations.Nullable;

/**
 * Memory that the kernel charges this process, or its cgroup, of the limit: all of it less inactive file pages, which the kernel
 * reclaims before it kills. Also tells how much of it is active file pages, which the kernel reclaims last.
 *
 * <p>Owner: the watch. Cost: a page of heap and two open files; reading allocates nothing.
 */
final class UsageFile implements AutoCloseable {
    static final long UNKNOWN = -1;

    private static final int PAGE = 4_096;

    private final byte[] page = new byte[PAGE];
    private final @Nullable RandomAccessFile total;
    private final @Nullable RandomAccessFile parts;
    private final byte[] inactive;
    private final byte[] active;
    private long activeFileBytes;
    private final @Nullable RandomAccessFile status;

    /**
     * @param limitFile of a cgroup, of version 1 or 2; for any other file the usage is the process's own memory
     * @param statusFile of the process
     */
    UsageFile(String limitFile, String statusFile) {
        String directory = limitFile.substring(0, limitFile.lastIndexOf('/') + 1);
        boolean first = limitFile.endsWith("/memory.limit_in_bytes");
        total = open(directory + (first ? "memory.usage_in_bytes" : "memory.current"));
        parts = open(directory + "memory.stat");
        inactive = bytes(first ? "total_inactive_file " : "inactive_file ");
        active = bytes(first ? "total_active_file " : "active_file ");
        status = total == null ? open(statusFile) : null;
    }

    private static byte[] bytes(String text) {
        byte[] bytes = new byte[text.length()];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) text.charAt(i);
        }
        return bytes;
    }

    private static @Nullable RandomAccessFile open(String path) {
        if (path.indexOf('/') < 0) {
            return null;
        }
        try {
            return new RandomAccessFile(path, "r");
        } catch (IOException e) {
            return null;
        }
    }

    /** Returns the bytes that count; {@link #UNKNOWN} where the kernel does not tell. */
    long bytes() {
        if (total == null) {
            long resident = field(status == null ? 0 : read(status), RSS_ANON);
            return resident < 0 ? UNKNOWN : resident * 1_024;
        }
        int length = read(total);
        long all = number(0, length);
        int partsLength = parts == null ? 0 : read(parts);
        long unused = field(partsLength, inactive);
        activeFileBytes = Math.max(0, field(partsLength, active));
        return all < 0 ? UNKNOWN : all - Math.max(0, unused);
    }

    /** Active file pages, as part of the {@link #bytes} that were read last; 0 without a cgroup. */
    long activeFileBytes() {
        return activeFileBytes;
    }

    private static final byte[] RSS_ANON = bytes("RssAnon:");

    private long field(int length, byte[] key) {
        int line = 0;
        while (line < length) {
            if (startsWith(line, length, key)) {
                return number(line + key.length, length);
            }
            while (line < length && page[line] != '\n') {
                line++;
            }
            line++;
        }
        return UNKNOWN;
    }

    private boolean startsWith(int at, int length, byte[] key) {
        if (at + key.length > length) {
            return false;
        }
        for (int i = 0; i < key.length; i++) {
            if (page[at + i] != key[i]) {
                return false;
            }
        }
        return true;
    }

    // the decimal number behind blanks
    private long number(int from, int length) {
        int at = from;
        while (at < length && page[at] <= ' ') {
            at++;
        }
        long number = 0;
        int digit = at;
        while (digit < length && page[digit] >= '0' && page[digit] <= '9') {
            number = number * 10 + page[digit] - '0';
            digit++;
        }
        return digit == at ? UNKNOWN : number;
    }

    private int read(RandomAccessFile file) {
        int length = 0;
        try {
            file.seek(0);
            int count;
            while (length < PAGE && (count = file.read(page, length, PAGE - length)) > 0) {
                length += count;
            }
        } catch (IOException e) {
            return 0;
        }
        return length;
    }

    @Override
    public void close() {
        close(total);
        close(parts);
        close(status);
    }

    private static void close(@Nullable RandomAccessFile file) {
        if (file != null) {
            try {
                file.close();
            } catch (IOException e) {
                // it was only read
            }
        }
    }
}
