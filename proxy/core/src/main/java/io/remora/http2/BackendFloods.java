package io.remora.http2;

import io.remora.transport.NanoClock;
import org.jspecify.annotations.Nullable;

/**
 * The counts of an endpoint's frames that bring nothing; too many of them end the connection. Each method that counts
 * returns whether they do.
 *
 * <p>Owner: one connection.
 *
 * <p>Bounds: 1,000 frames a second that bring nothing, or as many since the endpoint took the last answer to one.
 * 10,000 a second for streams that are over, as some of each may be on their way when it ends. 1,000 WINDOW_UPDATEs a
 * second, and 16 small CONTINUATIONs a section. PINGs and WINDOW_UPDATEs that {@link PeerFrames} pays for do not count.
 * Spec: RFC 9113 section 10.5.
 */
final class BackendFloods {
    static final int SMALL_CONTINUATIONS = 16;

    private static final String CONTROL_FRAMES = "control-frames";
    private static final long WINDOW_NS = 1_000_000_000L;
    private static final long UPDATES_NS = 10 * WINDOW_NS;
    /** Kinds of counts. */
    private static final int EMPTY = 0;

    private static final int LATE = 1;
    private static final int WINDOW_UPDATES = 2;
    private static final int KINDS = 3;

    private static final int EMPTY_FRAMES = 1_000;
    private static final int LATE_FRAMES = 10_000;
    private static final int UPDATES = 1_000;

    private final PeerFrames credit;
    private final FloodWindow counts;
    /** The connection, null until the endpoint's settings have come. */
    private @Nullable Http2BackendConnection owner;

    private int unanswered;

    BackendFloods(NanoClock clock) {
        this.credit = PeerFrames.ofEndpoint(clock, WINDOW_NS, UPDATES_NS);
        this.counts = new FloodWindow(KINDS, WINDOW_NS, clock);
    }

    /** Credit that frames which are written to the endpoint earn it. */
    PeerFrames credit() {
        return credit;
    }

    void attach(Http2BackendConnection connection) {
        owner = connection;
        NanoClock clock = connection.shared().loop().readyClock();
        counts.clock(clock);
        credit.clock(clock);
    }

    /** Returns whether only paid frames are answered, as a bound was passed. */
    boolean isPassed() {
        return counts.isPassed();
    }

    /**
     * Counts a frame that brings nothing.
     *
     * @param writable whether the endpoint takes what is written to it
     */
    boolean empty(boolean writable) {
        return empty(CONTROL_FRAMES, writable);
    }

    /** Counts a DATA frame that has no content and ends nothing. */
    boolean emptyContent(boolean writable) {
        return empty("empty-frames", writable);
    }

    private boolean empty(String kind, boolean writable) {
        return unanswered(writable) || isOver(kind, counts.add(EMPTY), EMPTY_FRAMES);
    }

    private boolean unanswered(boolean writable) {
        unanswered = writable ? 0 : unanswered + 1;
        return isOver(CONTROL_FRAMES, unanswered, EMPTY_FRAMES);
    }

    /** Counts a frame of a stream that is over. */
    boolean late() {
        return isOver("late-frames", counts.add(LATE), LATE_FRAMES);
    }

    /** Takes the price of a PING; false where the endpoint has not earned one. */
    boolean payPing() {
        return credit.payPing();
    }

    /** Counts a PING. */
    boolean ping(boolean paid, boolean writable) {
        return paid ? unanswered(writable) : empty(writable);
    }

    /** Counts an answer to a PING of ours. */
    boolean pingAnswer(boolean writable) {
        return !credit.payAnswer() && empty(writable);
    }

    boolean windowUpdate() {
        return !credit.payUpdate() && isOver("window-updates", counts.add(WINDOW_UPDATES), UPDATES);
    }

    private boolean isOver(String kind, int count, int most) {
        return count > most && pass(kind, count);
    }

    // the first time, streams that are under way may still end in order
    private boolean pass(String kind, int count) {
        Http2BackendConnection known = owner;
        if (counts.isPassed() || known == null || !known.flooded(kind, count)) {
            return true;
        }
        unanswered = 0;
        counts.pass();
        return false;
    }
}
