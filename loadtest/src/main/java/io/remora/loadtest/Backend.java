package io.remora.loadtest;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.ssl.SslContext;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * A fast fake application: {@code Backend --port N [--body 1KiB] [--delay 0ms] [--error-share 0]
 * [--tls DIRECTORY | --mtls DIRECTORY]}.
 *
 * <p>Every path answers 200 with a body of that size, once the request's own body has arrived, over keep-alive
 * connections; an error share of 0.01 makes every hundredth answer a 500. {@code GET /served} answers how many
 * requests were served, itself included. With {@code --tls} it speaks HTTPS only, with the certificates of that directory,
 * and with {@code --mtls} only to clients that show one. Port 0 is a free one. Listens on 127.0.0.1 only; one event loop, so that it
 * never takes more than one core.
 */
public final class Backend {
    private static final int BACKLOG = 4_096;
    private static final int EXIT_USAGE = 64;

    private Backend() {}

    public static void main(String[] arguments) throws InterruptedException {
        BackendOptions options;
        try {
            options = BackendOptions.read(arguments);
        } catch (IllegalArgumentException e) {
            System.err.println("Backend: " + e.getMessage());
            System.exit(EXIT_USAGE);
            return;
        }
        Channel listener = listen(options);
        System.out.println("listening on 127.0.0.1:" + ((InetSocketAddress) listener.localAddress()).getPort());
        System.out.flush();
        listener.closeFuture().sync();
    }

    /** Its event loop ends with the listener. */
    static Channel listen(BackendOptions options) throws InterruptedException {
        BackendAnswers answers = new BackendAnswers(options);
        SslContext tls =
                options.certificates() == null ? null : options.certificates().server();
        EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        Channel listener = new ServerBootstrap()
                .group(loop)
                .channel(NioServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        if (tls != null) {
                            channel.pipeline().addLast(tls.newHandler(channel.alloc()));
                        }
                        channel.pipeline().addLast(new HttpServerCodec(), new BackendHandler(answers));
                    }
                })
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), options.port()))
                .sync()
                .channel();
        listener.closeFuture().addListener(closed -> loop.shutdownGracefully());
        return listener;
    }
}
