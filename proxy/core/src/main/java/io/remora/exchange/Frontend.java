package io.remora.exchange;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaders;
import io.remora.http.ResponseHead;
import org.jspecify.annotations.Nullable;

/**
 * The client's side of an exchange: an HTTP/1 connection, or one stream of a connection that carries many.
 *
 * <p>Owner: the exchange's event loop. What is handed over is the frontend's to release.
 */
public interface Frontend {
    /** Address of the client without brackets or port. */
    String client();

    /** The request's version as a log shows it, {@code HTTP/1.1}. */
    String version();

    /** A response that others will follow, sent at once. Left out where the client would not understand it. */
    void respondInterim(ResponseHead head);

    /**
     * The final response's head, not flushed.
     *
     * @param last whether the connection must end with this response
     */
    void respond(ResponseHead head, boolean last);

    void respondContent(ByteBuf content);

    /**
     * @param trailers null for none
     */
    void respondEnd(@Nullable HttpHeaders trailers);

    void flush();

    /** Whether content may be written without growing what waits for the client beyond the buffer's bound. */
    boolean isWritable();

    /** Back-pressure: whether the request's body is to be read on. */
    void readBody(boolean wanted);

    /** Ends the client's side so that it shows that the response is not whole. */
    void abort();

    /** The exchange is over; nothing more of it will be written. */
    void exchangeDone();

    /** Sends the 101 and becomes one end of a tunnel to {@code backend}. */
    void openTunnel(Exchange exchange, ResponseHead head, Backend backend);
}
