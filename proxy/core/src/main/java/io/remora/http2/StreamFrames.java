package io.remora.http2;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2EventAdapter;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import org.jspecify.annotations.Nullable;

/**
 * The frames of a connection by the streams that they are for, in the state in which the codec lets them through. Another codec calls the
 * methods that are abstract here.
 *
 * <p>Owner: one connection.
 *
 * @param <S> a stream of one side
 */
abstract class StreamFrames<S> extends Http2EventAdapter {
    /** Returns a stream that is under way; null where there is none of that number. */
    abstract @Nullable S stream(int id);

    /**
     * A section has come: a head, or trailers.
     *
     * @param stream null where it is not known yet, or no longer
     */
    abstract void section(int id, @Nullable S stream, Http2Headers headers, boolean ends) throws Http2Exception;

    /**
     * Content has come, which the method retains if it keeps it.
     *
     * @return the octets for which more may come at once
     */
    abstract int content(@Nullable S stream, ByteBuf data, boolean ends) throws Http2Exception;

    /** The peer has reset a stream. */
    abstract void reset(@Nullable S stream, long code);

    /** The peer takes more of a stream. */
    abstract void widened(S stream);

    @Override
    public final void onHeadersRead(ChannelHandlerContext at, int id, Http2Headers headers, int padding, boolean ends)
            throws Http2Exception {
        section(id, stream(id), headers, ends);
    }

    /** Priorities are not followed (RFC 9113 5.3.2). */
    @Override
    public final void onHeadersRead(
            ChannelHandlerContext at,
            int id,
            Http2Headers headers,
            int dependency,
            short weight,
            boolean exclusive,
            int padding,
            boolean ends)
            throws Http2Exception {
        section(id, stream(id), headers, ends);
    }

    @Override
    public final int onDataRead(ChannelHandlerContext at, int id, ByteBuf data, int padding, boolean ends)
            throws Http2Exception {
        return padding + content(stream(id), data, ends);
    }

    @Override
    public final void onRstStreamRead(ChannelHandlerContext at, int id, long code) {
        reset(stream(id), code);
    }

    @Override
    public final void onWindowUpdateRead(ChannelHandlerContext at, int id, int delta) {
        S stream = stream(id);
        if (stream != null) {
            widened(stream);
        }
    }
}
