package io.remora.http2;

import io.remora.config.model.FrontendTimeouts;
import io.remora.transport.Deadline;
import io.remora.transport.Deadlines;
import io.remora.transport.Link;
import java.util.concurrent.TimeUnit;

/**
 * What a connection waits for its client to do, and until when: the only writer of the connection's deadline. What a stream
 * waits for is the stream's.
 *
 * <p>Owner: one connection. Bounds: the listener's timeouts.
 */
final class FrontendWait {
    /** For what the kernel still holds, and for a client that is to close, once nothing more is said. */
    private static final long LINGER_NS = TimeUnit.SECONDS.toNanos(5);

    /** What is waited for. */
    enum Phase {
        /** The streams that are open. */
        NOTHING,
        /** The first stream, or the next one. */
        REQUEST,
        /** The rest of a header section, or of the preface. */
        HEAD,
        /** Room for what is written. */
        READER,
        /** The connection's end. */
        END
    }

    private final FrontendTimeouts timeouts;
    private final Deadline deadline;
    private final Link link;
    private Phase phase = Phase.NOTHING;
    private long sendPosition;
    /** The number of the header section that is waited for. */
    private int head;

    FrontendWait(FrontendTimeouts timeouts, Deadlines deadlines, Deadline.Expirable owner, Link link) {
        this.timeouts = timeouts;
        this.deadline = deadlines.add(owner);
        this.link = link;
    }

    Phase phase() {
        return phase;
    }

    /**
     * Waits for what is due at the end of a turn of work.
     *
     * @param partialHead the number of a header section that is not whole, 0 for none
     * @param streams whether there are any
     * @return whether it waits until the client has taken all that is written
     */
    boolean asDue(int partialHead, boolean streams) {
        if (partialHead > 0) {
            forHead(partialHead);
        } else if (link.hasUnsent()) {
            if (phase != Phase.READER) {
                sendPosition = link.sendPosition();
            }
            begin(Phase.READER, timeouts.bodyIdleNs());
            return true;
        } else if (!streams) {
            begin(Phase.REQUEST, timeouts.idleNs());
        } else if (phase != Phase.NOTHING) {
            forNothing();
        }
        return false;
    }

    // the bound is on each whole section, not on a pause in it
    private void forHead(int number) {
        if (phase != Phase.HEAD || number != head) {
            head = number;
            phase = Phase.HEAD;
            deadline.set(timeouts.headerReadNs());
        }
    }

    void forNothing() {
        phase = Phase.NOTHING;
        deadline.clear();
    }

    /** All is said, and the client is to end its side. */
    void forEnd() {
        begin(Phase.END, Math.min(LINGER_NS, timeouts.bodyIdleNs()));
    }

    // once begun it goes on: what brings no request on does not keep a connection open
    private void begin(Phase next, long afterNs) {
        if (phase != next) {
            phase = next;
            deadline.set(afterNs);
        }
    }

    /** Whether the client has taken a byte since the wait for it began. */
    boolean isReaderMoving() {
        return link.sendPosition() != sendPosition;
    }

    /** When the wait for the rest of a header section began; {@link Long#MAX_VALUE} where it is another wait. */
    long headSinceNs() {
        return phase == Phase.HEAD ? deadline.atNs() - timeouts.headerReadNs() : Long.MAX_VALUE;
    }

    /** When the wait for a stream began; {@link Long#MAX_VALUE} where it is another wait. */
    long restsSinceNs() {
        return phase == Phase.REQUEST ? deadline.atNs() - timeouts.idleNs() : Long.MAX_VALUE;
    }

    /** For good: the connection is closed. */
    void cancel() {
        deadline.cancel();
    }
}
