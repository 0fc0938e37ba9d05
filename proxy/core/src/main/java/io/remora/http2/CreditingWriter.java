package io.remora.http2;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http2.DefaultHttp2FrameWriter;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersEncoder;

/** Netty's writer of frames, which credits the peer for those that it answers. Owner: one connection. */
final class CreditingWriter extends DefaultHttp2FrameWriter {
    private final PeerFrames credit;

    CreditingWriter(Http2HeadersEncoder headers, PeerFrames credit) {
        super(headers);
        this.credit = credit;
    }

    @Override
    public ChannelFuture writeData(
            ChannelHandlerContext at, int stream, ByteBuf data, int padding, boolean ends, ChannelPromise promise) {
        int octets = data.readableBytes();
        // the writer splits what is larger than a frame may be
        credit.dataWritten(Math.max(1, (octets + maxFrameSize() - 1) / maxFrameSize()), octets);
        return super.writeData(at, stream, data, padding, ends, promise);
    }

    @Override
    public ChannelFuture writePing(ChannelHandlerContext at, boolean answer, long data, ChannelPromise promise) {
        if (!answer) {
            credit.pingWritten();
        }
        return super.writePing(at, answer, data, promise);
    }

    @Override
    public ChannelFuture writeHeaders(
            ChannelHandlerContext at,
            int stream,
            Http2Headers headers,
            int padding,
            boolean ends,
            ChannelPromise promise) {
        credit.headersWritten();
        return super.writeHeaders(at, stream, headers, padding, ends, promise);
    }

    @Override
    public ChannelFuture writeHeaders(
            ChannelHandlerContext at,
            int stream,
            Http2Headers headers,
            int dependency,
            short weight,
            boolean exclusive,
            int padding,
            boolean ends,
            ChannelPromise promise) {
        credit.headersWritten();
        return super.writeHeaders(at, stream, headers, dependency, weight, exclusive, padding, ends, promise);
    }
}
