package io.remora.loadtest;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpServerCodec;
import java.net.InetAddress;

/**
 * The fast fake application behind the sidecar: it must never be what limits.
 *
 * <p>Every path answers with a body of one size once the request's own body is read; {@code /served} tells the number of requests so far,
 * itself included. One event loop; 127.0.0.1 only; SIGTERM ends it.
 *
 * <p>Arguments: {@code --port N}, {@code --body BYTES} (1024), {@code --delay MILLISECONDSms} (0ms, by a timer), {@code --error-share
 * SHARE} (0: such as 0.01, which makes every hundredth answer a 500).
 */
public final class Backend {
    private static final int BACKLOG = 4_096;

    private Backend() {}

    public static void main(String[] arguments) throws InterruptedException {
        BackendOptions options = BackendOptions.read(arguments);
        EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        BackendAnswers answers = new BackendAnswers(options);
        Channel listener = new ServerBootstrap()
                .group(loop)
                .channel(NioServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(new HttpServerCodec(), new BackendHandler(answers));
                    }
                })
                .bind(InetAddress.getLoopbackAddress(), options.port())
                .sync()
                .channel();
        System.out.println("listening on 127.0.0.1:" + options.port());
        listener.closeFuture().sync();
    }
}
