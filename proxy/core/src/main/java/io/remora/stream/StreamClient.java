package io.remora.stream;

import io.netty.buffer.ByteBuf;
import io.remora.http.Failure;
import io.remora.http.Fields;
import io.remora.http.ResponseHead;
import io.remora.http.Rule;
import org.jspecify.annotations.Nullable;

/**
 * Client of a stream, which receives the stream or a refusal, and then the response or its failure.
 *
 * <p>Order: {@link #picked} once, unless there is no endpoint; then either {@link #ready} or {@link #refused}, at once
 * or later; after {@link #ready} the response, until the stream is released, dropped or reset. An engine that repeats
 * by itself may call {@link #picked} again, for each endpoint that it goes to.
 *
 * <p>Owner: the exchange's event loop.
 */
public abstract class StreamClient {
    /** The endpoint that the request will go to. */
    public abstract void picked(Target endpoint);

    /**
     * An engine that repeats by itself sends the request once more.
     *
     * @param written whether an endpoint may have seen something of it
     */
    public void repeated(boolean written) {}

    /** Returns the verdict of a final response's status on its endpoint, for an engine that repeats by itself. */
    public Verdict verdictOf(int status) {
        return Verdict.IGNORED;
    }

    /** Called once the request can be sent. */
    public abstract void ready(BackendStream stream);

    /** Called where no stream is available; nothing was written. */
    public abstract void refused(Failure failure);

    /** Returns how long a body may rest in either direction, in nanoseconds. */
    public abstract long bodyIdleNs();

    /**
     * Returns the same bound while neither side has octets to take; {@link Long#MAX_VALUE} where something else watches
     * the endpoint.
     */
    public long silenceNs() {
        return bodyIdleNs();
    }

    /** The properties of its request that decide where it goes. */
    public RequestAttributes attributes() {
        return RequestAttributes.NONE;
    }

    /**
     * Makes room for the octets of a section, at the cost of others with more than their share of memory. Tells if
     * there is room now.
     */
    public boolean makeRoom() {
        return false;
    }

    /** Tells if the exchange has ended, so that nobody waits for the stream any longer. */
    public abstract boolean isGone();

    /** Tells if the connection of its stream is to serve no other stream after it. */
    public boolean endsConnection() {
        return false;
    }

    /**
     * A response's head arrived, interim or final.
     *
     * @param readyNs when its first bytes were readable
     */
    public abstract void response(ResponseHead head, long readyNs);

    /** Takes over {@code content}. */
    public abstract void content(ByteBuf content);

    /**
     * The response is whole; the end of this read finishes the exchange.
     *
     * @param trailers null for none
     */
    public abstract void end(@Nullable Fields trailers);

    /** A read from the endpoint is over, and with it a good moment to flush. */
    public abstract void readComplete();

    /** The stream can take more again, or cannot. */
    public abstract void writable(boolean writable);

    /** The endpoint's response has broken this rule, for which {@link #broken} follows. */
    public void ruleBroken(Rule rule) {}

    /** The endpoint has reset the stream by this code of HTTP/2; {@link #broken} follows. */
    public void resetBy(long code) {}

    /**
     * The endpoint's side broke, or broke a rule, or took too long; the stream is gone already.
     *
     * @param anyByte whether a byte of a response had arrived
     */
    public abstract void broken(Failure failure, boolean anyByte);
}
