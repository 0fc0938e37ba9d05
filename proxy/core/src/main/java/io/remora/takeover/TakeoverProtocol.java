package io.remora.takeover;

import io.remora.transport.Descriptors;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Messages between two processes, line by line, with descriptors along.
 *
 * <p>Owner: one thread. Bounds: lines of 512 octets, and 256 sockets.
 */
final class TakeoverProtocol implements AutoCloseable {
    /** First line of both sides; processes of another version hand nothing over. */
    static final String VERSION = "remora-takeover 1";

    static final String END = "end";
    /** Says that the new process has bound everything. */
    static final String READY = "ready";
    /** Says that the new process may begin to accept. */
    static final String GO = "go";
    /** Says that the new process accepts. */
    static final String ACCEPTING = "accepting";
    /** Says that the old process accepts no longer, or will not for long. */
    static final String DRAINING = "draining";

    static final String REFUSED = "refused ";
    static final String SOCKET = "socket ";

    static final int MOST_SOCKETS = 256;
    /** Time for each step that takes no work of the other process. */
    static final long STEP_NS = 10_000_000_000L;

    private static final int MOST_OCTETS = 512;
    /** Time after which it is seen that nobody waits any more. */
    private static final int SLICE_MS = 100;

    private final SocketChannel channel;
    private final AtomicBoolean ended;
    private final byte[] octets = new byte[MOST_OCTETS];
    private int length;
    private final int[] descriptors = new int[MOST_SOCKETS];
    private int taken;
    private int received;

    /** @param ended whether waiting is over, which another thread may say */
    TakeoverProtocol(SocketChannel channel, AtomicBoolean ended) {
        this.channel = channel;
        this.ended = ended;
    }

    /** Tells if the other process belongs to the same user as this one. */
    boolean isOwn() {
        return Descriptors.isOwn(channel);
    }

    void say(String line) throws IOException {
        say(line, null);
    }

    /** Hands a socket over along with the line. */
    void say(String line, @Nullable SelectableChannel passed) throws IOException {
        Descriptors.write(channel, line + '\n', passed);
    }

    /**
     * The next line.
     *
     * @throws EOFException where the other process has ended
     * @throws SocketTimeoutException where it has said nothing for so long
     */
    String hear(long patienceNs) throws IOException {
        long startNs = System.nanoTime();
        while (true) {
            String line = line();
            if (line != null) {
                return line;
            }
            if (ended.get()) {
                throw new EOFException("this process ends");
            }
            if (System.nanoTime() - startNs >= patienceNs) {
                throw new SocketTimeoutException(
                        "no message from the other process for " + TimeUnit.NANOSECONDS.toMillis(patienceNs) + " ms");
            }
            read();
        }
    }

    private void read() throws IOException {
        if (length == octets.length) {
            throw new IOException("unexpected message from the other process");
        }
        byte[] some = new byte[octets.length - length];
        int[] came = new int[MOST_SOCKETS - received];
        int[] counted = new int[1];
        int count;
        try {
            count = Descriptors.read(channel, some, came, counted, SLICE_MS);
        } finally {
            // those that came before a failure are to be closed
            System.arraycopy(came, 0, descriptors, received, counted[0]);
            received += counted[0];
        }
        if (count < 0) {
            throw new EOFException("the other process has ended");
        }
        System.arraycopy(some, 0, octets, length, count);
        length += count;
    }

    private @Nullable String line() {
        for (int i = 0; i < length; i++) {
            if (octets[i] == '\n') {
                String line = new String(octets, 0, i, StandardCharsets.UTF_8);
                length -= i + 1;
                System.arraycopy(octets, i + 1, octets, 0, length);
                return line;
            }
        }
        return null;
    }

    /** The descriptor that came along with the line that tells of it. */
    int descriptor() throws IOException {
        if (taken == received) {
            throw new IOException("the other process announced a socket and did not send it");
        }
        return descriptors[taken++];
    }

    @Override
    public void close() {
        while (taken < received) {
            Descriptors.close(descriptors[taken++]);
        }
        try {
            channel.close();
        } catch (IOException e) {
            // what it was for is over
        }
    }
}
