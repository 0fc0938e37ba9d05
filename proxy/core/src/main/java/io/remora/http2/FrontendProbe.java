package io.remora.http2;

import io.remora.transport.Deadline;
import io.remora.transport.Deadlines;
import io.remora.transport.Link;
import java.util.concurrent.TimeUnit;

/**
 * Finds out whether a client that has ended its side is still there for its responses. The host of one that is gone
 * answers octets with a reset. A channel that reads no more notices the reset only at its next write. The probe is the
 * GOAWAY that the client has already: it asks for no answer, which this client could not give.
 *
 * <p>Owner: one connection, for as long as it has streams. Spec: RFC 9113 section 6.8.
 */
final class FrontendProbe implements Deadline.Expirable {
    private static final long INTERVAL_NS = TimeUnit.SECONDS.toNanos(1);

    private final Http2FrontendConnection owner;
    private final Link link;
    private final Deadline next;

    /** The first one is sent in a second. */
    FrontendProbe(Http2FrontendConnection owner, Link link, Deadlines deadlines) {
        this.owner = owner;
        this.link = link;
        this.next = deadlines.add(this);
        next.setOnce(INTERVAL_NS);
    }

    @Override
    public void onDeadline() {
        if (owner.isOver()) {
            return;
        }
        // what waits is a probe already, and one behind it would look as if the client took something
        if (!link.hasUnsent()) {
            owner.goAway.repeat();
            owner.turn.flush();
        }
        next.setOnce(INTERVAL_NS);
    }

    /** Ends the probes for good, as the connection is closed. */
    void cancel() {
        next.cancel();
    }
}
