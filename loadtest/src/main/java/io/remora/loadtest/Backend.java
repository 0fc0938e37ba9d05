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
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;

/**
 * A fast fake application: {@code Backend --port N [--body 1KiB] [--delay 0ms] [--error-share 0]
 * [--tls DIRECTORY | --mtls DIRECTORY]}.
 *
 * <p>Every path answers 200 with a body of that size, once the request's own body has arrived, over keep-alive
 * connections, or over HTTP/2 to clients that begin with its preface; an error share of 0.01 makes every hundredth answer a 500. A call of gRPC is answered with such a message. A request whose {@code X-Answer-Bytes} is N gets an answer of N bytes. {@code GET /served} answers how many
 * requests were served, itself included. With {@code --tls} it speaks TLS only, with the certificates of that directory,
 * and with {@code --mtls} only to clients that show one. Port 0 is a free one. Listens on 127.0.0.1, or on the addresses that are named, by
 * commas; one event loop, so that it never takes more than one core. With {@code --identify true} each answer names the address that it was
 * asked on, in {@code X-Backend}. On standard input {@code delay 500ms} and {@code error-share 1} change how it answers from then on.
 */
public final class Backend {
    private static final int BACKLOG = 4_096;
    private static final int EXIT_USAGE = 64;

    private Backend() {}

    public static void main(String[] arguments) throws InterruptedException, IOException {
        BackendOptions options;
        try {
            options = BackendOptions.read(arguments);
        } catch (IllegalArgumentException e) {
            System.err.println("Backend: " + e.getMessage());
            System.exit(EXIT_USAGE);
            return;
        }
        BackendAnswers answers = new BackendAnswers(options);
        Channel listener = listen(options, answers);
        System.out.println("listening on 127.0.0.1:" + ((InetSocketAddress) listener.localAddress()).getPort());
        System.out.flush();
        try {
            Commands.serve(Map.of(
                    "delay",
                    words -> told(listener, () -> answers.delay(BackendOptions.nanoseconds(words[1]))),
                    "error-share",
                    words -> told(listener, () -> answers.errors(BackendOptions.millionths(words[1])))));
        } catch (IllegalArgumentException e) {
            System.err.println("Backend: " + e.getMessage());
            System.exit(EXIT_USAGE);
        }
        listener.closeFuture().sync();
    }

    /** What the event loop owns is changed there. */
    private static String told(Channel listener, Runnable change) throws InterruptedException {
        listener.eventLoop().submit(change).sync();
        return Commands.OK;
    }

    static Channel listen(BackendOptions options) throws InterruptedException {
        return listen(options, new BackendAnswers(options));
    }

    /** The listener on the first address, with which those on the others and their event loop end. */
    private static Channel listen(BackendOptions options, BackendAnswers answers) throws InterruptedException {
        EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        ServerBootstrap bootstrap = bootstrap(options, answers, loop);
        Channel first = bootstrap
                .bind(options.addresses().get(0), options.port())
                .sync()
                .channel();
        int port = ((InetSocketAddress) first.localAddress()).getPort();
        first.closeFuture().addListener(closed -> loop.shutdownGracefully());
        for (String address : options.addresses().subList(1, options.addresses().size())) {
            bootstrap.bind(address, port).sync();
        }
        return first;
    }

    private static ServerBootstrap bootstrap(BackendOptions options, BackendAnswers answers, EventLoopGroup loop) {
        SslContext tls =
                options.certificates() == null ? null : options.certificates().server();
        return new ServerBootstrap()
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
                        channel.pipeline().addLast(new VersionDetection(answers));
                    }
                });
    }
}
