package io.remora.http1;

import io.remora.config.model.FrontendTimeouts;
import io.remora.exchange.Exchange;
import io.remora.exchange.IdleTimes;
import io.remora.transport.Deadline;
import io.remora.transport.Deadlines;
import io.remora.transport.Link;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What a connection waits for its client to do, and until when: the only writer of the connection's deadline.
 *
 * <p>Owner: one connection. Bounds: the listener's timeouts.
 */
final class ClientWait {
    /** For what the kernel still holds of the last response, once the proxy has written it all. */
    private static final long LINGER_NS = TimeUnit.SECONDS.toNanos(5);

    /** What is waited for. */
    enum Phase {
        /** The wait, if any, is for the backend. */
        NOTHING,
        /** A request's first byte. */
        REQUEST,
        /** The rest of a request's head. */
        HEAD,
        /** The next bytes of a request's body. */
        BODY,
        /** The next bytes of a response, for a client that has ended its side and may be gone. */
        ANSWER,
        /** Room for what is written. */
        READER,
        /** A byte in either direction of a tunnel. */
        TUNNEL,
        /** The connection's end. */
        END
    }

    private final FrontendTimeouts timeouts;
    private final Deadline deadline;
    private final Link link;
    /** How long a connection may rest without a request. */
    private long restNs;

    private Phase phase = Phase.NOTHING;
    private long sendPosition;
    private long movedBytes;

    ClientWait(FrontendTimeouts timeouts, Deadlines deadlines, Deadline.Expirable owner, Link link) {
        this.timeouts = timeouts;
        this.restNs = timeouts.idleNs();
        this.deadline = deadlines.add(owner);
        this.link = link;
    }

    Phase phase() {
        return phase;
    }

    /**
     * Waits for what is due at the end of a turn of work.
     *
     * @param current the exchange in progress, null for none
     * @param partialHead whether a head has begun that is not whole
     * @param body whether the client is to go on sending the body of {@code current}
     * @param inputEnded whether the client has ended its side
     * @return whether it waits until the client has taken all that is written
     */
    boolean asDue(@Nullable Exchange current, boolean partialHead, boolean body, boolean inputEnded) {
        if (current != null && current.isTunnel()) {
            if (phase != Phase.TUNNEL) {
                forTunnel(current);
            }
        } else if (!link.channel().isWritable() || current == null && isReaderBehind()) {
            forReader();
            return isReaderBehind();
        } else if (current == null && partialHead) {
            forHead();
        } else if (current == null) {
            forRequest();
        } else if (body) {
            forBody(current);
        } else if (inputEnded) {
            forAnswer(current);
        } else {
            forNothing();
        }
        return false;
    }

    void forNothing() {
        if (phase != Phase.NOTHING) {
            phase = Phase.NOTHING;
            deadline.clear();
        }
    }

    /** Once begun it goes on: what does not become a request does not keep a connection open. */
    void forRequest() {
        if (phase != Phase.REQUEST) {
            begin(Phase.REQUEST, restNs);
        }
    }

    /** From now on a request is not waited for longer than that; a wait that has begun begins again. */
    void hurry(long mostNs) {
        restNs = Math.min(restNs, mostNs);
        if (phase == Phase.REQUEST) {
            begin(Phase.REQUEST, restNs);
        }
    }

    /** True once a request has been waited for as long. */
    boolean hasRested(long forNs, long nowNs) {
        return phase == Phase.REQUEST && nowNs - waitsSinceNs() >= forNs;
    }

    // once begun it goes on: the bound is on the whole head, not on a pause in it
    private void forHead() {
        if (phase != Phase.HEAD) {
            begin(Phase.HEAD, timeouts.headerReadNs());
        }
    }

    // begins anew with each call: the bound is on a pause
    private void forBody(Exchange current) {
        begin(Phase.BODY, IdleTimes.bodyNs(current));
    }

    private void forAnswer(Exchange current) {
        if (phase != Phase.ANSWER) {
            movedBytes = current.grant().moved();
            begin(Phase.ANSWER, IdleTimes.answerNs(current));
        }
    }

    /** True once a byte of the response has moved since the wait for it began. */
    boolean isAnswerMoving(Exchange current) {
        return current.grant().moved() != movedBytes;
    }

    /** Begins anew with each call. */
    void forTunnel(@Nullable Exchange current) {
        begin(Phase.TUNNEL, current == null ? timeouts.idleNs() : IdleTimes.tunnelNs(current));
    }

    void forReader() {
        if (phase != Phase.READER) {
            sendPosition = link.sendPosition();
            begin(Phase.READER, timeouts.bodyIdleNs());
        }
    }

    /** All is written, and the client is to end its side. */
    void forEnd() {
        begin(Phase.END, Math.min(LINGER_NS, timeouts.bodyIdleNs()));
    }

    private void begin(Phase next, long afterNs) {
        phase = next;
        deadline.set(afterNs);
    }

    /** When the wait for a request, or for the rest of a head, began; {@link Long#MAX_VALUE} where it is another wait. */
    long waitsSinceNs() {
        long atNs = deadline.atNs();
        if (atNs == Long.MAX_VALUE) {
            return atNs;
        }
        return switch (phase) {
            case REQUEST -> atNs - restNs;
            case HEAD -> atNs - timeouts.headerReadNs();
            default -> Long.MAX_VALUE;
        };
    }

    /** When the client last took something of what is written, as far as it has been asked; {@link Long#MAX_VALUE} where it is another wait. */
    long readerSinceNs() {
        long atNs = deadline.atNs();
        return phase == Phase.READER && atNs != Long.MAX_VALUE ? atNs - timeouts.bodyIdleNs() : Long.MAX_VALUE;
    }

    /** Whether bytes wait for the client to take them. */
    boolean isReaderBehind() {
        return link.hasUnsent();
    }

    /** Whether the client has taken a byte since the wait for it began; begins it anew then. */
    boolean isReaderMoving() {
        if (link.sendPosition() == sendPosition) {
            return false;
        }
        phase = Phase.NOTHING;
        forReader();
        return true;
    }

    /** For good: the connection is closed. */
    void cancel() {
        deadline.cancel();
    }
}
