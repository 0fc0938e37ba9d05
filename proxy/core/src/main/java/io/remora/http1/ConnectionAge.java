package io.remora.http1;

import io.remora.transport.Deadline;
import io.remora.transport.Deadlines;

/**
 * The bound on the age of a client's connection. Loaded only where there is one.
 *
 * <p>Owner: one connection. Bounds: the listener's {@code max-connection-age}, less up to a tenth.
 */
final class ConnectionAge implements Deadline.Expirable {
    private final Http1FrontendRequests requests;
    private final Deadline deadline;

    ConnectionAge(Http1FrontendRequests requests, Deadlines deadlines) {
        this.requests = requests;
        this.deadline = deadlines.add(this);
    }

    void begin(long mostNs) {
        deadline.set(Deadlines.jittered(mostNs));
    }

    @Override
    public void onDeadline() {
        requests.age();
    }

    /** Ends the bound for good, as the connection is closed. */
    void cancel() {
        deadline.cancel();
    }
}
