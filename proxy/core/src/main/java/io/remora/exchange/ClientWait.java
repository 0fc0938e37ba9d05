package io.remora.exchange;

import io.remora.config.model.FrontendTimeouts;
import io.remora.transport.Deadline;
import io.remora.transport.Deadlines;
import io.remora.transport.Unsent;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The wait of a connection, or of one of its streams, for its client: what the client is to do, and until when. Nothing else writes that
 * deadline.
 *
 * <p>Owner: one connection. Cost: a deadline once something is waited for. Bounds: the listener's timeouts, and the route's for silence.
 */
public final class ClientWait {
    /** Wait for the kernel to send the rest, and for the client to close, once the proxy has written everything. */
    private static final long LINGER_NS = TimeUnit.SECONDS.toNanos(5);

    private static final long STILL = 0;
    private static final long MOVED = 1;

    /** The event that ends a wait. */
    public enum Phase {
        /** The wait, if any, is for the backend, or a stream's own. */
        NOTHING,
        /** A request's first byte, or the next stream. */
        REQUEST,
        /** The rest of a head, of HTTP/2's preface, or of a TLS hello by which a route is found. */
        HEAD,
        /** The next bytes of a request's body. */
        BODY,
        /** The next bytes of a response, for a client that has ended its side and may be gone. */
        ANSWER,
        /** Room in the socket for the bytes that wait to be written. */
        READER,
        /** A byte in either direction of a tunnel. */
        TUNNEL,
        /** The connection's end. */
        END
    }

    private final FrontendTimeouts timeouts;
    private final Deadlines deadlines;
    private final Deadline.Expirable owner;
    private final Unsent unsent;
    private @Nullable Deadline deadline;
    private Phase phase = Phase.NOTHING;
    /** Time for which a connection may rest without a request. */
    private long restNs;
    /** The length of the wait that goes on. */
    private long lengthNs;
    /**
     * The value that has to change for the wait to begin again: the number of a HEAD, the bytes an ANSWER has moved, the position of a READER, whether a
     * TUNNEL has moved.
     */
    private long position;

    public ClientWait(FrontendTimeouts timeouts, Deadlines deadlines, Deadline.Expirable owner, Unsent unsent) {
        this.timeouts = timeouts;
        this.deadlines = deadlines;
        this.owner = owner;
        this.unsent = unsent;
        this.restNs = timeouts.idleNs();
    }

    public Phase phase() {
        return phase;
    }

    public void forNothing() {
        Deadline set = deadline;
        phase = Phase.NOTHING;
        if (set != null) {
            set.clear();
        }
    }

    // ---- for a request

    /** Begins the wait for a request, or goes on with it: octets that become no request do not keep a connection open. */
    public void forRequest() {
        if (phase != Phase.REQUEST) {
            begin(Phase.REQUEST, restNs);
        }
    }

    /** Bounds each wait for a request to {@code mostNs} from now on; a wait in progress begins again. */
    public void hurry(long mostNs) {
        restNs = Math.min(restNs, mostNs);
        if (phase == Phase.REQUEST) {
            begin(Phase.REQUEST, restNs);
        }
    }

    /** True once a request has been waited for as long. */
    public boolean hasRested(long forNs, long nowNs) {
        return phase == Phase.REQUEST && nowNs - sinceNs(Phase.REQUEST) >= forNs;
    }

    /**
     * Begins the wait for a head, or goes on with it for the same head: the bound is on the whole of it, not on a pause in it.
     *
     * @param number of the head on its connection
     */
    public void forHead(int number) {
        if (phase != Phase.HEAD || position != number) {
            position = number;
            begin(Phase.HEAD, timeouts.headerReadNs());
        }
    }

    /** Begins the wait for the octets that decide a connection's protocol, again with each call. */
    public void forDecision(long mostNs) {
        begin(Phase.HEAD, mostNs);
    }

    /** Ends the wait in progress within that time at the latest; returns whether that is sooner. */
    public boolean cutShort(long mostNs) {
        return deadline().hurry(mostNs);
    }

    /** Begins the wait for a body again with each call: the bound is on a pause. */
    public void forBody(FrontendExchange current) {
        begin(Phase.BODY, current.bodyIdleNs());
    }

    // ---- for an answer

    public void forAnswer(FrontendExchange current) {
        if (phase != Phase.ANSWER) {
            position = current.grant().moved();
            begin(Phase.ANSWER, current.answerIdleNs());
        }
    }

    /** True once a byte of the response has moved since the wait for it began. */
    public boolean isAnswerMoving(FrontendExchange current) {
        return current.grant().moved() != position;
    }

    // ---- for a tunnel

    /** Begins the wait again with each call. */
    public void forTunnel(@Nullable FrontendExchange current) {
        position = STILL;
        begin(Phase.TUNNEL, current == null ? timeouts.idleNs() : current.tunnelIdleNs());
    }

    /** Begins the wait again where {@link #tunnelMoved} has been called since it began. */
    public void forTunnelAsMoved(FrontendExchange current) {
        if (phase != Phase.TUNNEL || position == MOVED) {
            forTunnel(current);
        }
    }

    /** Notes a byte of the tunnel, in either direction. */
    public void tunnelMoved() {
        if (phase == Phase.TUNNEL) {
            position = MOVED;
        }
    }

    // ---- for a client that reads

    /** Begins the wait for a reader, or goes on with it; {@link #isReaderMoving} tells at its end whether it begins again. */
    public void forReader() {
        if (phase != Phase.READER) {
            beginReader();
        }
    }

    /** Begins the wait again where bytes have left since it began. */
    public void forReaderAsMoved() {
        if (phase != Phase.READER || unsent.sendPosition() != position) {
            beginReader();
        }
    }

    private void beginReader() {
        position = unsent.sendPosition();
        begin(Phase.READER, timeouts.bodyIdleNs());
    }

    /** Returns whether bytes wait for the client to take them. */
    public boolean isReaderBehind() {
        return unsent.hasUnsent();
    }

    /** Returns whether the client has taken a byte since the wait for it began; begins it again then. */
    public boolean isReaderMoving() {
        if (unsent.sendPosition() == position) {
            return false;
        }
        beginReader();
        return true;
    }

    /** All is written, and the client is to end its side. */
    public void forEnd() {
        begin(Phase.END, Math.min(LINGER_NS, timeouts.bodyIdleNs()));
    }

    // ---- the deadline

    private void begin(Phase next, long afterNs) {
        phase = next;
        lengthNs = afterNs;
        deadline().set(afterNs);
    }

    private Deadline deadline() {
        Deadline known = deadline;
        if (known == null) {
            known = deadlines.add(owner);
            deadline = known;
        }
        return known;
    }

    /**
     * Time at which the wait of that phase began; {@link Long#MAX_VALUE} in another phase, and once its time is over.
     */
    public long sinceNs(Phase which) {
        Deadline set = deadline;
        return phase != which || set == null || set.atNs() == Long.MAX_VALUE ? Long.MAX_VALUE : set.atNs() - lengthNs;
    }

    /** Ends the wait for good, as the connection is closed. */
    public void cancel() {
        if (deadline != null) {
            deadline.cancel();
        }
    }
}
