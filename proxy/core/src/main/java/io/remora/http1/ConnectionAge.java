package io.remora.http1;

import io.remora.transport.Deadline;
import io.remora.transport.Deadlines;
import java.util.concurrent.ThreadLocalRandom;

/**
 * How long a client's connection may be used. Loaded only where there is a bound.
 *
 * <p>Owner: one connection. Bounds: the listener's {@code max-connection-age}, less up to a tenth.
 */
final class ConnectionAge implements Deadline.Expirable {
    /** One of so many parts is left to chance, so that connections that began together do not end together. */
    private static final int PARTS = 10;

    private final Http1FrontendRequests requests;
    private final Deadline deadline;

    ConnectionAge(Http1FrontendRequests requests, Deadlines deadlines) {
        this.requests = requests;
        this.deadline = deadlines.add(this);
    }

    void begin(long mostNs) {
        deadline.set(bounded(mostNs));
    }

    /** An age of at most that. */
    static long bounded(long mostNs) {
        return mostNs - ThreadLocalRandom.current().nextLong(mostNs / PARTS + 1);
    }

    @Override
    public void onDeadline() {
        requests.age();
    }

    /** For good: the connection is closed. */
    void cancel() {
        deadline.cancel();
    }
}
