package io.remora.http2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http2.DefaultHttp2Connection;
import io.netty.handler.codec.http2.DefaultHttp2FrameReader;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameAdapter;
import org.junit.jupiter.api.Test;

/** Frames that bring nothing, so slowly that no second has too many of them. */
final class BackendFloodsTest {
    private static final int MOST = 1_000;

    private long nowNs;
    private final EmbeddedChannel channel = new EmbeddedChannel(new ChannelInboundHandlerAdapter());
    private final ChannelHandlerContext context = channel.pipeline().firstContext();
    private final BackendReader reader = new BackendReader(
            new DefaultHttp2FrameReader(), new DefaultHttp2Connection(false), new BackendFloods(() -> nowNs));

    private void ping() throws Http2Exception {
        nowNs += 2_000_000_000L;
        ByteBuf frame = Unpooled.buffer()
                .writeMedium(8)
                .writeByte(6)
                .writeByte(0)
                .writeInt(0)
                .writeLong(0);
        try {
            reader.readFrame(context, frame, new Http2FrameAdapter());
        } finally {
            frame.release();
        }
    }

    private void taken(boolean all) {
        channel.unsafe().outboundBuffer().setUserDefinedWritability(1, all);
        assertThat(channel.isWritable()).isEqualTo(all);
    }

    @Test
    void pingsWhoseAnswersNobodyReadsEndTheConnection() throws Http2Exception {
        taken(false);
        for (int i = 0; i < MOST; i++) {
            ping();
        }
        assertThatThrownBy(this::ping).isInstanceOfSatisfying(Http2Exception.class, e -> assertThat(e.error())
                .isEqualTo(Http2Error.ENHANCE_YOUR_CALM));
    }

    @Test
    void answersThatAreReadBeginAnew() throws Http2Exception {
        for (int round = 0; round < 3; round++) {
            taken(false);
            for (int i = 0; i < MOST; i++) {
                ping();
            }
            taken(true);
            ping();
        }
    }
}
