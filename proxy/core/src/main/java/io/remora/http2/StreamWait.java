package io.remora.http2;

import io.remora.config.model.FrontendTimeouts;
import io.remora.exchange.Exchange;
import io.remora.exchange.IdleTimes;
import io.remora.transport.Deadline;
import io.remora.transport.Deadlines;
import org.jspecify.annotations.Nullable;

/**
 * What one stream waits for its client to do, and until when.
 *
 * <p>Owner: one stream. Cost: a deadline only where it waits. Bounds: the listener's {@code body-idle} for the client to take something, and what the
 * exchange has for silence.
 */
final class StreamWait {
    private final FrontendTimeouts timeouts;
    private final Deadlines deadlines;
    private final Deadline.Expirable owner;
    private @Nullable Deadline deadline;
    /** Where it waits for the client to take what was written, and not for it to send. */
    private boolean reading;

    private long movedBefore;
    /** Whether a tunnel has carried an octet since its wait began. */
    private boolean moved;

    StreamWait(FrontendTimeouts timeouts, Deadlines deadlines, Deadline.Expirable owner) {
        this.timeouts = timeouts;
        this.deadlines = deadlines;
        this.owner = owner;
    }

    boolean isForReader() {
        return reading;
    }

    void forNothing() {
        if (deadline != null) {
            deadline.clear();
        }
    }

    /** Begins anew with each call: the bound is on a pause. */
    void forBody(Exchange current) {
        reading = false;
        deadline().set(IdleTimes.bodyNs(current));
    }

    /**
     * Once begun it goes on as long as nothing moves.
     *
     * @param movedNow octets that have left so far
     */
    void forReader(long movedNow) {
        if (!reading || movedNow != movedBefore || deadline().atNs() == Long.MAX_VALUE) {
            reading = true;
            movedBefore = movedNow;
            deadline().set(timeouts.bodyIdleNs());
        }
    }

    /** An octet has come or gone. */
    void tunnelMoved() {
        moved = true;
    }

    /** For an octet in either direction. */
    void forTunnel(Exchange current) {
        if (moved || deadline().atNs() == Long.MAX_VALUE) {
            moved = false;
            reading = false;
            deadline().set(IdleTimes.tunnelNs(current));
        }
    }

    private Deadline deadline() {
        Deadline known = deadline;
        if (known == null) {
            known = deadlines.add(owner);
            deadline = known;
        }
        return known;
    }

    /** For good. */
    void cancel() {
        if (deadline != null) {
            deadline.cancel();
        }
    }
}
