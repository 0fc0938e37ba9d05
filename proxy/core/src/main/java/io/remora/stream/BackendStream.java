package io.remora.stream;

import io.netty.buffer.ByteBuf;
import io.remora.http.Fields;
import io.remora.http.RequestHead;
import org.jspecify.annotations.Nullable;

/**
 * One request with its response at an endpoint: an HTTP/1 connection's only stream, or one of many that a connection
 * carries.
 *
 * <p>Its {@link StreamClient} receives the response until it calls {@link #release}, {@link #drop} or {@link #reset},
 * and nothing afterwards.
 *
 * <p>Owner: the exchange's event loop. What is handed over is the stream's to release. An abstract class rather than an
 * interface: its methods are called several times a request, and a compiler without profiles dispatches them faster.
 */
public abstract class BackendStream {
    /** An endpoint that takes longer to close a connection has had the request; a round trip and a busy turn take less. */
    public static final long STALE_NS = 100_000_000L;

    /** Interim responses to one request; an endpoint that sends more breaks off. */
    public static final int MAX_INTERIM = 100;

    /** Tells if its connection has carried a stream before, so that the endpoint may have closed it meanwhile. */
    public abstract boolean isReused();

    /** Returns the protocol of its connection, as a log shows it. */
    public String version() {
        return "HTTP/1.1";
    }

    /** Writes the request's head; not flushed. */
    public abstract void send(RequestHead head);

    /** Writes content; not flushed. */
    public abstract void content(ByteBuf content);

    /**
     * Ends a request that has a body, or this side of a tunnel; not flushed.
     *
     * @param trailers null for none
     */
    public abstract void end(@Nullable Fields trailers);

    public abstract void flush();

    /**
     * Tells if flushed octets have a connection to go over; where not, {@link StreamClient#picked} reports it later.
     */
    public boolean isDispatched() {
        return true;
    }

    /** Bounds each buffer of its connection to {@code bytes} from now on, where the stream can see to that. */
    public void bound(int bytes) {}

    /**
     * Tells if content may be written without growing the octets that wait for the endpoint beyond the buffer's bound.
     */
    public abstract boolean isWritable();

    /** Back-pressure: whether the response is to be read on. */
    public abstract void read(boolean wanted);

    /** Ends HTTP once a 101 has been passed on: from now on content is what the two sides say to each other, raw. */
    public abstract void openTunnel();

    /**
     * Releases the stream of an exchange that has ended in order. The connection serves again if it stands between two
     * messages.
     */
    public abstract void release();

    /**
     * Drops a response whose head is just being handed over, as the exchange goes on with another one. The connection
     * may serve again, and holds its place until the end of this read at the most.
     */
    public void drop() {
        reset();
    }

    /** Resets the stream of an exchange that has ended otherwise. Octets that are still to come are dropped. */
    public abstract void reset();
}
