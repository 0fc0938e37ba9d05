package io.remora.http2;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Settings;
import org.jspecify.annotations.Nullable;

/** Hands each frame of an endpoint to its receiver. Owner: one connection. */
final class BackendFrames extends StreamFrames<Http2BackendRequest> {
    private final BackendHandler handler;

    BackendFrames(BackendHandler handler) {
        this.handler = handler;
    }

    @Override
    @Nullable
    Http2BackendRequest stream(int id) {
        Http2BackendConnection owner = handler.owner();
        return owner == null ? null : owner.request(id);
    }

    @Override
    void section(int id, @Nullable Http2BackendRequest request, Http2Headers headers, boolean ends)
            throws Http2Exception {
        if (request != null && headers instanceof SectionHeaders read) {
            try {
                request.response().headersRead(read.section(), ends);
            } finally {
                read.section().clear();
            }
        } else if (!handler.connection().local().mayHaveCreatedStream(id)) {
            throw Http2Exception.connectionError(Http2Error.PROTOCOL_ERROR, "a stream that was not opened");
        }
    }

    @Override
    int content(@Nullable Http2BackendRequest request, ByteBuf data, boolean ends) {
        int octets = data.readableBytes();
        return request == null ? octets : octets - request.response().dataRead(data, ends);
    }

    @Override
    void reset(@Nullable Http2BackendRequest request, long code) {
        if (request != null) {
            handler.stats().reset(true);
            request.response().resetRead(code);
        }
    }

    @Override
    void widened(Http2BackendRequest request) {
        request.windowOpened();
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
}
