package io.remora.tcp;

import io.remora.config.model.FrontendTimeouts;
import io.remora.transport.Deadline;
import io.remora.transport.Link;
import io.remora.transport.Loop;
import java.util.concurrent.TimeUnit;

/**
 * What a client's connection waits for, and until when: the only writer of its deadline.
 *
 * <p>Owner: one connection. Bounds: the listener's timeouts.
 */
final class TunnelWait {
    /** For what the kernel still holds, once the proxy has written it all. */
    private static final long LINGER_NS = TimeUnit.SECONDS.toNanos(5);

    /** What is waited for. */
    enum Phase {
        /** The hello by which a route is found. */
        HELLO,
        /** An octet in either direction. */
        MOVE,
        /** The client is to take what is written. */
        READER,
        /** The connection's end. */
        END
    }

    private final FrontendTimeouts timeouts;
    private final Deadline deadline;
    private final Link link;
    private Phase phase = Phase.HELLO;
    private long sendPosition;

    TunnelWait(FrontendTimeouts timeouts, Loop loop, Deadline.Expirable owner, Link link) {
        this.timeouts = timeouts;
        this.deadline = loop.deadlines().add(owner);
        this.link = link;
    }

    Phase phase() {
        return phase;
    }

    /** The bound is on the whole hello, not on a pause in it. */
    void forHello() {
        begin(Phase.HELLO, timeouts.headerReadNs());
    }

    /** Something has moved: the wait for what moves next begins anew. */
    void forMove() {
        begin(Phase.MOVE, timeouts.idleNs());
    }

    /** Nothing more comes from the exchange: the client is to take what is written, and then to end its side. */
    void forEnd() {
        if (link.hasUnsent()) {
            sendPosition = link.sendPosition();
            begin(Phase.READER, timeouts.bodyIdleNs());
        } else {
            begin(Phase.END, Math.min(LINGER_NS, timeouts.bodyIdleNs()));
        }
    }

    /** Whether the client has taken something since the wait for it began. */
    boolean isReaderMoving() {
        return !link.hasUnsent() || link.sendPosition() != sendPosition;
    }

    private void begin(Phase next, long afterNs) {
        phase = next;
        deadline.set(afterNs);
    }

    /** For good: the connection is closed. */
    void cancel() {
        deadline.cancel();
    }
}
