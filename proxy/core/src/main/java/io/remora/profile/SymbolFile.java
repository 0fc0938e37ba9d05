package io.remora.profile;

import java.io.Closeable;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;

/**
 * Names of a library's functions, from a file with a line per function: its offset in hexadecimal digits, a space and its
 * name, in the order of the offsets. A first line {@code 0 build-id HEX} says to which build of the library they belong. The file
 * is searched where it lies and is never read as a whole.
 *
 * <p>Owner: one thread. Cost: about twenty reads of 512 bytes per name.
 */
final class SymbolFile implements Closeable {
    private static final int BLOCK = 512;
    private static final int HEX = 16;
    private static final String BUILD_ID = "0 build-id ";

    private final RandomAccessFile file;
    private final long length;
    private final String buildId;
    /** Offset of the first name. */
    private final long first;

    private final byte[] block = new byte[BLOCK];

    SymbolFile(String path) throws IOException {
        file = new RandomAccessFile(path, "r");
        length = file.length();
        String line = line(0);
        boolean says = line.startsWith(BUILD_ID);
        buildId = says ? line.substring(BUILD_ID.length()) : "";
        first = says ? line.length() + 1 : 0;
    }

    /** Returns the build ID of the library that the names belong to, in hexadecimal digits; empty if the file does not say it. */
    String buildId() {
        return buildId;
    }

    /** Returns the name of the last function that starts at the offset or before it; empty if there is none. */
    String name(long offset) throws IOException {
        long low = first;
        long high = length;
        // the line that begins at low starts at the offset or before it, the first line behind high does not
        String found = "";
        while (low < high) {
            long middle = low + (high - low) / 2;
            long start = middle == 0 ? 0 : lineAfter(middle - 1);
            String line = start >= high ? "" : line(start);
            int space = line.indexOf(' ');
            if (space <= 0 || number(line, space) < 0) {
                high = middle;
            } else if (number(line, space) <= offset) {
                found = line.substring(space + 1);
                low = start + line.length() + 1;
            } else {
                high = middle;
            }
        }
        return found;
    }

    /** Returns where the line begins that follows the one with this position. */
    private long lineAfter(long position) throws IOException {
        for (long at = position; at < length; at += BLOCK) {
            int count = read(at);
            for (int i = 0; i < count; i++) {
                if (block[i] == '\n') {
                    return at + i + 1;
                }
            }
        }
        return length;
    }

    private String line(long start) throws IOException {
        int count = read(start);
        int end = 0;
        while (end < count && block[end] != '\n') {
            end++;
        }
        return new String(block, 0, end, StandardCharsets.ISO_8859_1);
    }

    private int read(long at) throws IOException {
        file.seek(at);
        int count = 0;
        int got = 0;
        while (count < BLOCK && got >= 0) {
            got = file.read(block, count, BLOCK - count);
            count += Math.max(got, 0);
        }
        return count;
    }

    /** Returns the number of hexadecimal digits, or -1 for any other text. */
    private static long number(String line, int end) {
        long number = 0;
        for (int i = 0; i < end; i++) {
            int digit = Character.digit(line.charAt(i), HEX);
            if (digit < 0) {
                return -1;
            }
            number = number * HEX + digit;
        }
        return number;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
