package io.remora.pool;

import io.remora.stream.BackendStream;
import io.remora.stream.StreamClient;

/**
 * A connection to an endpoint that is ready to carry streams: one at a time for HTTP/1, many for protocols that
 * multiplex.
 *
 * <p>The pool hears of it through {@link EndpointPool#streamEnded} and {@link EndpointPool#closed}.
 *
 * <p>Owner: its pool's event loop.
 */
public abstract class Connection {
    /** Streams that it carries now, as its pool counts them. */
    int streams;

    /** True while its pool keeps it for the next stream. */
    boolean free;

    /** True while it counts as idle. */
    boolean idle;

    /** True once it no longer counts among its pool's open connections. */
    boolean left;

    /** The key of the client whose streams it carries, by the pool's own rule. */
    String client = "";

    /** Returns how many streams it may carry at once, as far as is known; 0 where it takes no more of them. */
    protected abstract int maxStreams();

    /**
     * Returns whether it can carry another stream right now: open, and without unsolicited octets. Octets that arrived
     * in this turn of the loop count, so that an endpoint's close that is already here is seen.
     */
    protected abstract boolean isFit();

    /** Begins a stream whose events go to {@code client}. */
    protected abstract BackendStream newStream(StreamClient client);

    /** Notes that it carries nothing until the next stream. */
    protected abstract void onIdle();

    /** Takes no more streams, and closes when the last one has ended. */
    public abstract void close();
}
