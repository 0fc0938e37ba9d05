package io.remora.log;

import java.io.OutputStream;
import java.util.Arrays;

/**
 * Standard error for all who do not know {@link Log}, such as the JDK's handler of uncaught exceptions: hands line by line to the queue.
 * A line that has no end yet waits for {@link #endLine}.
 *
 * <p>Thread safe. Bounds: a line of {@value #MAX_LINE_BYTES} octets, after which it is cut in two.
 */
final class LogStream extends OutputStream {
    private static final int MAX_LINE_BYTES = 8 * 1024;

    private final LogQueue queue;
    private byte[] line = new byte[128];
    private int length;

    LogStream(LogQueue queue) {
        this.queue = queue;
    }

    @Override
    public synchronized void write(int octet) {
        if (length == line.length) {
            line = Arrays.copyOf(line, 2 * length);
        }
        line[length++] = (byte) octet;
        if (octet == '\n') {
            end();
        } else if (length == MAX_LINE_BYTES - 1) {
            write('\n');
        }
    }

    @Override
    public synchronized void write(byte[] octets, int offset, int count) {
        for (int i = offset; i < offset + count; i++) {
            write(octets[i]);
        }
    }

    /** Hands on a line that has no end yet, with one. */
    synchronized void endLine() {
        if (length > 0) {
            write('\n');
        }
    }

    private void end() {
        queue.offer(Arrays.copyOf(line, length));
        length = 0;
    }
}
