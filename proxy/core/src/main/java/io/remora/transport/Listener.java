package io.remora.transport;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.remora.config.model.Address;
import io.remora.config.model.ListenerConfig;
import io.remora.config.model.SocketConfig;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectableChannel;
import java.nio.channels.ServerSocketChannel;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One bound address. Thread safe. */
public final class Listener {
    private final Channel channel;
    private final AcceptGate gate;
    private final Accepting accepting;
    /** Null for a port. */
    private final @Nullable FileBinding file;

    private Listener(Channel channel, AcceptGate gate, Accepting accepting, @Nullable FileBinding file) {
        this.channel = channel;
        this.gate = gate;
        this.accepting = accepting;
        this.file = file;
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
            throws IOException {
        AcceptGate gate = new AcceptGate(config.name(), config.limits().connections());
        Accepting accepting =
                new Accepting(new AcceptBatch(gate, NanoClock.SYSTEM), config, loops, allocator, acceptor);
        SocketConfig socket = config.socket();
        try {
            return socket == null
                    ? onPort(config, loops, gate, accepting, given)
                    : onFile(FileBinding.of(config.name(), config.address(), socket, given), loops, gate, accepting);
        } catch (IOException e) {
            if (e instanceof ListenException) {
                throw e;
            }
            throw ListenException.of(
                    "listener " + config.name() + ": cannot listen on " + config.address() + ": " + e.getMessage());
        }
    }

    private static Listener onPort(
            ListenerConfig config, Loops loops, AcceptGate gate, Accepting accepting, @Nullable GivenSockets given)
            throws IOException {
        ServerSocketChannel open = given == null ? null : given.take(config.name(), config.address());
        InetSocketAddress address = open == null ? resolve(config.address()) : null;
        Binding binding = open == null ? new Binding() : new Binding(open);
        NioServerSocketChannel channel = binding.channel();
        int receiveBytes = loops.all().get(0).memory().receiveBytes();
        if (receiveBytes > 0) {
            // which accepted sockets inherit
            channel.config().setOption(ChannelOption.SO_RCVBUF, receiveBytes);
        }
        settle(channel, gate, accepting, given != null && open != null && given.takenOver());
        if (address == null) {
            Binding.open(loops.group(), channel);
        } else {
            binding.bind(loops.group(), address);
        }
        return new Listener(channel, gate, accepting, null);
    }

    private static Listener onFile(FileBinding file, Loops loops, AcceptGate gate, Accepting accepting)
            throws IOException {
        settle(file.channel(), gate, accepting, file.isTakenOver());
        file.bind(loops.group());
        return new Listener(file.channel(), gate, accepting, file);
    }

    private static void settle(Channel channel, AcceptGate gate, Accepting accepting, boolean takenOver) {
        channel.config().setRecvByteBufAllocator(accepting.batch());
        channel.pipeline().addLast(gate).addLast(accepting);
        if (takenOver) {
            gate.hold(channel);
        }
    }

    private static InetSocketAddress resolve(Address address) throws IOException {
        InetSocketAddress resolved = new InetSocketAddress(address.host(), address.port());
        if (resolved.isUnresolved()) {
            throw ListenException.of("cannot listen on " + address + ": unknown host");
        }
        return resolved;
    }

    /**
     * Applies another configuration of the same address to connections accepted from now on; those accepted before stay
     * as they are.
     *
     * @param acceptor makes accepted channels ready
     */
    public void settle(ListenerConfig config, Acceptor acceptor) {
        accepting.settle(config, acceptor);
        gate.settle(config.name(), config.limits().connections());
    }

    /** Returns the address that it is bound to, null for a Unix socket. */
    public @Nullable InetSocketAddress address() {
        return channel instanceof NioServerSocketChannel port ? port.localAddress() : null;
    }

    /** Begins to accept on a socket that another process has answered on until now. */
    public void begin() {
        gate.release();
    }

    /**
     * Takes over the file of a Unix socket that another process has left to this one. The file is as configured, and
     * goes with this listener from now on.
     */
    public void adopt() throws IOException {
        if (file != null) {
            file.adopt();
        }
    }

    /** The socket, which another process may listen on as well. */
    public SelectableChannel socket() {
        return Descriptors.below(channel);
    }

    /** Another process listens on the socket as well, and goes on with it when this listener closes: its file stays. */
    public void handOver() {
        if (file != null) {
            file.handOver();
        }
    }

    /** The number of open connections. */
    public int open() {
        return gate.open();
    }

    /**
     * Pauses accepting while there is no memory for a further connection; the kernel's backlog holds new ones
     * meanwhile.
     */
    public void pause(boolean pause) {
        gate.close(pause);
    }

    /**
     * Stops accepting; accepted connections stay open. Returns once the port is free, or after {@value Binding#CLOSE_MS} ms where the loop is
     * held up, which then frees it when it turns again.
     */
    public void close() {
        if (!channel.isOpen()) {
            return;
        }
        boolean closed;
        if (file == null) {
            closed = channel.close().awaitUninterruptibly(Binding.CLOSE_MS);
        } else {
            file.close();
            closed = !channel.isOpen();
        }
        if (closed) {
            // The kernel's socket keeps listening until the loop's next select; a task with a delay runs after that.
            channel.eventLoop().schedule(nothing(), 1, TimeUnit.MILLISECONDS).awaitUninterruptibly(Binding.CLOSE_MS);
        }
    }

    private static Runnable nothing() {
        return new Runnable() {
            @Override
            public void run() {
                // The caller only waits for it to be run.
            }
        };
    }
}
