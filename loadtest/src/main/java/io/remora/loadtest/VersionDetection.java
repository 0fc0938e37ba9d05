package io.remora.loadtest;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2Settings;
import java.util.List;

/** Tells HTTP/2 from HTTP/1.1 by the first three octets of a connection, also inside of TLS, and puts what speaks it in its own place. */
final class VersionDetection extends ByteToMessageDecoder {
    private static final int STREAMS = 1_000;

    private final BackendAnswers answers;

    VersionDetection(BackendAnswers answers) {
        this.answers = answers;
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
        if (in.readableBytes() < 3) {
            return;
        }
        ChannelPipeline pipeline = context.pipeline();
        if (in.getMedium(in.readerIndex()) == ('P' << 16 | 'R' << 8 | 'I')) {
            Http2Settings settings = Http2Settings.defaultSettings().maxConcurrentStreams(STREAMS);
            pipeline.addLast(
                    Http2FrameCodecBuilder.forServer().initialSettings(settings).build(),
                    new Http2BackendHandler(answers));
        } else {
            pipeline.addLast(new HttpServerCodec(), new BackendHandler(answers));
        }
        pipeline.remove(this);
    }
}
