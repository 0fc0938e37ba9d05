package io.remora.source;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The response to a {@link Call}, to be read as it comes by a thread that waits for it.
 *
 * <p>Thread safe: its own lock. Bounds: 64 KiB and one read beyond; each wait has a deadline.
 */
final class CallBody extends InputStream {
    private static final int MOST_OCTETS = 64 << 10;

    private final Call call;
    private final ArrayDeque<byte[]> chunks = new ArrayDeque<>();
    private int queued;
    /** Octets taken of the first chunk. */
    private int taken;

    private boolean full;
    private int status;
    private @Nullable String index;
    private boolean filtered;
    private boolean ended;
    private @Nullable IOException problem;
    private long untilNs;
    private final byte[] one = new byte[1];

    CallBody(Call call) {
        this.call = call;
    }

    // ---- the event loop

    synchronized void head(int givenStatus, @Nullable String givenIndex, boolean isFiltered) {
        status = givenStatus;
        index = givenIndex;
        filtered = isFiltered;
        notifyAll();
    }

    /** Adds octets; returns whether there is room for more. */
    synchronized boolean add(byte[] octets) {
        chunks.addLast(octets);
        queued += octets.length;
        full = queued >= MOST_OCTETS;
        notifyAll();
        return !full;
    }

    synchronized void end() {
        ended = true;
        notifyAll();
    }

    /** Ends the response with a failure; octets that came before can still be read. */
    synchronized void fail(IOException why) {
        if (!ended && problem == null) {
            problem = why;
            notifyAll();
        }
    }

    // ---- who waits

    /**
     * Waits for the response's head.
     *
     * @return its status
     */
    synchronized int awaitHead(long withinNs) throws IOException {
        deadline(withinNs);
        while (status == 0) {
            long restMs = restMs("the server does not answer");
            try {
                wait(restMs);
            } catch (InterruptedException e) {
                throw interrupted();
            }
        }
        return status;
    }

    /** Sets the time within which the following reads have to end. */
    synchronized void deadline(long withinNs) {
        untilNs = System.nanoTime() + withinNs;
    }

    /** Returns the status of the response, whose head is there. */
    synchronized int status() {
        return status;
    }

    /** The value of Consul's index; null where there is none. */
    synchronized @Nullable String index() {
        return index;
    }

    /** Tells if Consul left out entries that the token may not see. */
    synchronized boolean isFiltered() {
        return filtered;
    }

    /** Returns the longest wait, where there is anything to wait for. */
    private long restMs(String why) throws IOException {
        IOException known = problem;
        if (known != null) {
            throw known;
        }
        long restMs = TimeUnit.NANOSECONDS.toMillis(untilNs - System.nanoTime());
        if (restMs <= 0) {
            throw new SourceException(why);
        }
        return restMs;
    }

    // nobody of ours does that
    private static SourceException interrupted() {
        return new SourceException("interrupted");
    }

    @Override
    public synchronized int read(byte[] to, int offset, int length) throws IOException {
        while (chunks.isEmpty()) {
            if (ended) {
                return -1;
            }
            long restMs = restMs("the rest of the answer does not come");
            try {
                wait(restMs);
            } catch (InterruptedException e) {
                throw interrupted();
            }
        }
        return take(to, offset, length);
    }

    private int take(byte[] to, int offset, int length) {
        byte[] first = chunks.getFirst();
        int count = Math.min(length, first.length - taken);
        System.arraycopy(first, taken, to, offset, count);
        taken += count;
        queued -= count;
        if (taken == first.length) {
            chunks.removeFirst();
            taken = 0;
        }
        if (full && queued < MOST_OCTETS / 2) {
            full = false;
            call.onLoop(false);
        }
        return count;
    }

    @Override
    public int read() throws IOException {
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    /** Stops the response where it is not whole yet. */
    @Override
    public void close() {
        boolean whole;
        synchronized (this) {
            whole = ended || problem != null;
        }
        if (!whole) {
            call.onLoop(true);
        }
    }
}
