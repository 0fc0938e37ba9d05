package io.remora.loadtest;

import io.netty.bootstrap.ChannelInitializerExtension;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandler;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;

/**
 * Makes a connection that ends before its response a failed request in Gatling's books, too.
 *
 * <p>Gatling sends a request again, and says nothing, when a connection that was used before ends under it, and it has no setting
 * against that: a sidecar that loses requests would look well. An exception that comes first ends the request; on a connection without a
 * request it is passed over. Netty finds this class with {@code -Dio.netty.bootstrap.extensions=serviceload}. Thread safe.
 */
public final class CutsAreFailures extends ChannelInitializerExtension {
    private final Handler handler = new Handler();

    @Override
    public void postInitializeClientChannel(Channel channel) {
        channel.pipeline().addFirst(handler);
    }

    @Sharable
    private static final class Handler extends ChannelInboundHandlerAdapter {
        @Override
        public void channelInactive(ChannelHandlerContext context) throws Exception {
            // to the last one, which has the request: Gatling's first one takes in every exception
            ChannelHandlerContext last = context.pipeline().lastContext();
            if (last.handler() instanceof ChannelInboundHandler handler) {
                handler.exceptionCaught(last, new IOException("the connection ended before the response"));
            }
            context.fireChannelInactive();
        }
    }
}
