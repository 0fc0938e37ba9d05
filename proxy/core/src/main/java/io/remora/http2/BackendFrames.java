package io.remora.http2;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameAdapter;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Settings;
import org.jspecify.annotations.Nullable;

/** Hands each frame of an endpoint to whom it is for. Owner: one connection. */
final class BackendFrames extends Http2FrameAdapter {
    private final BackendHandler handler;

    BackendFrames(BackendHandler handler) {
        this.handler = handler;
    }

    private @Nullable Http2BackendRequest request(int stream) {
        Http2BackendConnection owner = handler.owner();
        return owner == null ? null : owner.request(stream);
    }

    @Override
    public int onDataRead(ChannelHandlerContext context, int stream, ByteBuf data, int padding, boolean last) {
        Http2BackendRequest request = request(stream);
        int octets = data.readableBytes();
        int held = request == null ? 0 : request.response().dataRead(data, last);
        return octets + padding - held;
    }

    @Override
    public void onHeadersRead(
            ChannelHandlerContext context, int stream, Http2Headers headers, int padding, boolean last)
            throws Http2Exception {
        Http2BackendRequest request = request(stream);
        if (request != null) {
            request.response().headersRead(headers, last);
        } else if (!handler.connection().local().mayHaveCreatedStream(stream)) {
            throw Http2Exception.connectionError(Http2Error.PROTOCOL_ERROR, "a stream that nobody has begun");
        }
    }

    @Override
    public void onHeadersRead(
            ChannelHandlerContext context,
            int stream,
            Http2Headers headers,
            int dependency,
            short weight,
            boolean exclusive,
            int padding,
            boolean last)
            throws Http2Exception {
        onHeadersRead(context, stream, headers, padding, last);
    }

    @Override
    public void onRstStreamRead(ChannelHandlerContext context, int stream, long error) {
        Http2BackendRequest request = request(stream);
        if (request != null) {
            handler.stats().reset(true);
            request.response().resetRead(error);
        }
    }

    @Override
    public void onSettingsRead(ChannelHandlerContext context, Http2Settings settings) {
        handler.settings(settings);
    }

    @Override
    public void onGoAwayRead(ChannelHandlerContext context, int last, long error, ByteBuf debug) {
        handler.stats().goneAway(true);
        Http2BackendConnection owner = handler.owner();
        if (owner != null) {
            owner.goneAway(last);
        }
    }

    @Override
    public void onWindowUpdateRead(ChannelHandlerContext context, int stream, int increment) {
        Http2BackendRequest request = request(stream);
        if (request != null) {
            request.windowOpened();
        }
    }
}
