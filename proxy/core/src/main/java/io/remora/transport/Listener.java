package io.remora.transport;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.remora.config.Address;
import io.remora.config.ListenerConfig;
import io.remora.config.SocketConfig;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectableChannel;
import java.nio.channels.ServerSocketChannel;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

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
    private final Accepting accepting;
    /** Null for a port, and for a file that is not this process's to remove. */
    private volatile @Nullable SocketFile file;
    /** Whether another process has left it to this one, with its file if it has one. */
    private final boolean takenOver;

    private Listener(
            Channel channel, AcceptGate gate, Accepting accepting, @Nullable SocketFile file, boolean takenOver) {
        this.channel = channel;
        this.gate = gate;
        this.accepting = accepting;
        this.file = file;
        this.takenOver = takenOver;
    }

    /**
     * Binds the address and starts accepting.
     *
     * @param acceptor makes accepted channels ready
     * @param given sockets that are listened on already, of which one may be this listener's; null for none. One that another process
     *     answers on accepts nothing before {@link #begin}
     * @throws ListenException if the address cannot be bound
     */
    public static Listener bind(
            ListenerConfig config,
            Loops loops,
            ByteBufAllocator allocator,
            Acceptor acceptor,
            @Nullable GivenSockets given)
            throws ListenException {
        AcceptGate gate = new AcceptGate(config.name(), config.limits().connections());
        Accepting accepting = new Accepting(config.limits().bufferBytes(), loops, allocator, acceptor);
        SocketConfig socket = config.socket();
        try {
            ServerSocketChannel bound = given == null ? null : given.take(config.name(), config.address());
            if (given != null && bound != null) {
                return onGiven(bound, given.takenOver(), config.address(), loops, gate, accepting);
            }
            return socket == null
                    ? onPort(resolve(config.address()), loops, gate, accepting)
                    : onFile(config.address().host(), socket, loops, gate, accepting);
        } catch (ListenException e) {
            throw e;
        } catch (IOException e) {
            throw new ListenException(
                    "listener " + config.name() + ": cannot listen on " + config.address() + ": " + e.getMessage());
        }
    }

    private static Listener onPort(InetSocketAddress address, Loops loops, AcceptGate gate, Accepting accepting)
            throws IOException {
        Binding binding = new Binding();
        NioServerSocketChannel channel = binding.channel();
        settle(channel, gate, loops);
        channel.pipeline().addLast(gate).addLast(accepting);
        binding.bind(loops.group(), address);
        return new Listener(channel, gate, accepting, null, false);
    }

    private static Listener onFile(String path, SocketConfig config, Loops loops, AcceptGate gate, Accepting accepting)
            throws IOException {
        SocketFile file = SocketFile.at(path);
        Channel channel = DomainSockets.newServer();
        channel.config().setRecvByteBufAllocator(new AcceptBatch(gate));
        channel.pipeline().addLast(gate).addLast(accepting);
        try {
            Binding.bind(loops.group(), channel, DomainSockets.address(file.temporary()));
        } catch (IOException e) {
            file.abandon();
            throw e;
        }
        try {
            file.publish(config);
        } catch (IOException e) {
            channel.close().awaitUninterruptibly();
            throw e;
        }
        return new Listener(channel, gate, accepting, file, false);
    }

    private static Listener onGiven(
            ServerSocketChannel given,
            boolean takenOver,
            Address address,
            Loops loops,
            AcceptGate gate,
            Accepting accepting)
            throws IOException {
        Channel channel;
        if (address.isUnix()) {
            channel = DomainSockets.newServer(given);
            channel.config().setRecvByteBufAllocator(new AcceptBatch(gate));
        } else {
            NioServerSocketChannel onPort = new Binding(given).channel();
            settle(onPort, gate, loops);
            channel = onPort;
        }
        channel.pipeline().addLast(gate).addLast(accepting);
        if (takenOver) {
            gate.hold(channel);
        }
        Binding.open(loops.group(), channel);
        return new Listener(channel, gate, accepting, null, takenOver);
    }

    private static void settle(NioServerSocketChannel channel, AcceptGate gate, Loops loops) {
        int receiveBytes = loops.all().get(0).memory().receiveBytes();
        if (receiveBytes > 0) {
            // which accepted sockets inherit
            channel.config().setOption(ChannelOption.SO_RCVBUF, receiveBytes);
        }
        channel.config().setRecvByteBufAllocator(new AcceptBatch(gate));
    }

    private static InetSocketAddress resolve(Address address) throws ListenException {
        InetSocketAddress resolved = new InetSocketAddress(address.host(), address.port());
        if (resolved.isUnresolved()) {
            throw new ListenException("cannot listen on " + address + ": unknown host");
        }
        return resolved;
    }

    /**
     * What is accepted from now on goes by another configuration of the same address; what was accepted stays as it is.
     *
     * @param acceptor makes accepted channels ready
     */
    public void settle(ListenerConfig config, Acceptor acceptor) {
        accepting.settle(config.limits().bufferBytes(), acceptor);
        gate.settle(config.name(), config.limits().connections());
    }

    /** Where it is bound, null for a Unix socket. */
    public @Nullable InetSocketAddress address() {
        return channel instanceof NioServerSocketChannel port ? port.localAddress() : null;
    }

    /** Begins to accept on a socket that another process has answered on until now. */
    public void begin() {
        gate.release();
    }

    /** Where another process has left a Unix socket to this one: its file is as configured, and goes with this listener from now on. */
    public void adopt(ListenerConfig config) throws IOException {
        SocketConfig wanted = config.socket();
        if (takenOver && wanted != null && file == null) {
            file = SocketFile.adopt(config.address().host(), wanted);
        }
    }

    /** The socket, which another process may listen on as well. */
    public SelectableChannel socket() {
        return Descriptors.below(channel);
    }

    /** Another process listens on the socket as well, and goes on with it when this listener closes: its file stays. */
    public void handOver() {
        file = null;
    }

    /** The number of open connections. */
    public int open() {
        return gate.open();
    }

    /** Pauses accepting while there is no memory for a further connection; the kernel's backlog holds whoever comes. */
    public void pause(boolean pause) {
        gate.close(pause);
    }

    /** Stops accepting; accepted connections stay open. Returns once the port is free. */
    public void close() {
        if (channel.isOpen()) {
            SocketFile own = file;
            if (own != null) {
                own.remove();
            }
            closeChannel();
            // The kernel's socket keeps listening until the loop's next select; a task with a delay runs after that.
            channel.eventLoop().schedule(NOTHING, 1, TimeUnit.MILLISECONDS).awaitUninterruptibly();
        }
    }

    private void closeChannel() {
        if (address() == null) {
            DomainSockets.close(channel);
        } else {
            channel.close().awaitUninterruptibly();
        }
    }
}
