package io.remora.transport;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ServerChannel;
import io.netty.channel.ServerChannelRecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.remora.config.Address;
import io.remora.config.ListenerConfig;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/** One bound address. Thread safe. */
public final class Listener {
    private static final Runnable NOTHING = new Runnable() {
        @Override
        public void run() {
            // The caller only waits for it to be run.
        }
    };

    private final Channel channel;
    private final AcceptGate gate;

    private Listener(Channel channel, AcceptGate gate) {
        this.channel = channel;
        this.gate = gate;
    }

    /**
     * Binds the address and starts accepting.
     *
     * @param frontends sets up the pipeline of each accepted channel
     * @throws ListenException if the address cannot be bound
     */
    public static Listener bind(
            ListenerConfig config, Loops loops, ByteBufAllocator allocator, ChannelInitializer<Channel> frontends)
            throws ListenException {
        AcceptGate gate = new AcceptGate(config.name(), config.limits().connections());
        int buffer = config.limits().bufferBytes();
        ChannelFuture bound = new ServerBootstrap()
                .group(loops.group())
                .channelFactory(new ChannelFactory<ServerChannel>() {
                    @Override
                    public ServerChannel newChannel() {
                        return new NioServerSocketChannel();
                    }
                })
                // One connection per read, so that the gate sees each before the next one is accepted.
                .option(ChannelOption.RECVBUF_ALLOCATOR, new ServerChannelRecvByteBufAllocator())
                .handler(gate)
                .childHandler(frontends)
                .childOption(ChannelOption.ALLOCATOR, allocator)
                .childOption(ChannelOption.RECVBUF_ALLOCATOR, new ReadBuffers(buffer))
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(buffer / 2, buffer))
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .bind(resolve(config.address()))
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new ListenException("listener " + config.name() + ": cannot listen on " + config.address() + ": "
                    + reason(bound.cause()));
        }
        return new Listener(bound.channel(), gate);
    }

    private static InetSocketAddress resolve(Address address) throws ListenException {
        InetSocketAddress resolved = new InetSocketAddress(address.host(), address.port());
        if (resolved.isUnresolved()) {
            throw new ListenException("cannot listen on " + address + ": unknown host");
        }
        return resolved;
    }

    private static String reason(Throwable cause) {
        String message = cause.getMessage();
        return message == null ? cause.toString() : message;
    }

    public InetSocketAddress address() {
        return (InetSocketAddress) channel.localAddress();
    }

    /** The number of open connections. */
    public int open() {
        return gate.open();
    }

    /** Stops accepting; accepted connections stay open. Returns once the port is free. */
    public void close() {
        if (channel.isOpen()) {
            channel.close().awaitUninterruptibly();
            // The kernel's socket keeps listening until the loop's next select; a task with a delay runs after that.
            channel.eventLoop().schedule(NOTHING, 1, TimeUnit.MILLISECONDS).awaitUninterruptibly();
        }
    }
}
