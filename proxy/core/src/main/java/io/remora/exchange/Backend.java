package io.remora.exchange;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.handler.codec.http.HttpHeaders;
import io.remora.http.RequestHead;
import io.remora.pool.Connection;
import org.jspecify.annotations.Nullable;

/**
 * The application's side of an exchange: a leased connection.
 *
 * <p>Owner: the exchange's event loop. What is handed over is the backend's to release.
 */
public abstract class Backend extends Connection {
    /** Writes the request's head and reports to {@code exchange} from now on; not flushed. */
    public abstract void dispatch(Exchange exchange, RequestHead head);

    public abstract void requestContent(ByteBuf content);

    /**
     * @param trailers null for none
     */
    public abstract void requestEnd(@Nullable HttpHeaders trailers);

    public abstract void flush();

    /** Whether content may be written without growing what waits for the backend beyond the buffer's bound. */
    public abstract boolean isWritable();

    /** Back-pressure: whether the response is to be read on. */
    public abstract void readResponse(boolean wanted);

    /** The exchange has ended in order: gives the connection back. */
    public abstract void release();

    /** The exchange has ended otherwise: the connection cannot serve again. */
    public abstract void abandon();

    /** Stops speaking HTTP: what arrives next is {@code tunnel}'s, raw. */
    public abstract void leaveHttp(ChannelHandler tunnel);

    public abstract Channel channel();
}
