package io.remora.http2;

import io.remora.transport.Deadline;
import io.remora.transport.Deadlines;
import java.util.concurrent.TimeUnit;

/**
 * The time that the good streams of a client have once it has passed a bound of {@link FrontendFloods}.
 *
 * <p>Owner: one connection, which has none before. Bounds: five seconds.
 */
final class FloodGrace implements Deadline.Expirable {
    static final long NS = TimeUnit.SECONDS.toNanos(5);

    private final FrontendFaults owner;
    private final Deadline deadline;

    FloodGrace(FrontendFaults owner, Deadlines deadlines) {
        this.owner = owner;
        this.deadline = deadlines.add(this);
        deadline.set(NS);
    }

    @Override
    public void onDeadline() {
        owner.graceOver();
    }

    /** Ends it for good, as the connection is closed. */
    void cancel() {
        deadline.cancel();
    }
}
