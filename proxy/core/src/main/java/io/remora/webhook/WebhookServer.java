package io.remora.webhook;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.remora.config.model.Address;
import io.remora.transport.Binding;
import io.remora.transport.Handshake;
import io.remora.transport.InboundHandler;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * One port of the injector: it accepts, has each connection made ready, and bounds what all of them take.
 *
 * <p>Owner: the event loop. Bounds: {@value #MAX_CONNECTIONS} connections, of which a further one closes the oldest of the
 * address that has most, so that no client locks out API servers, by connections or by handshakes;
 * {@value #MAX_BODY_OCTETS} octets of a body, and those of {@link BodyRoom} for all of them together.
 */
@SuppressWarnings("FutureReturnValueIgnored") // the results of closing do not matter
final class WebhookServer extends InboundHandler implements ChannelFutureListener, Runnable {
    /** Largest request of an API server (its own bound on a request's body). */
    static final int MAX_BODY_OCTETS = 3 << 20;

    private static final int MAX_CONNECTIONS = 256;
    private static final int BACKLOG = 128;
    private static final long SWEEP_MS = 500;
    private static final long CLOSE_MS = 1_000;

    private final String name;
    private final EventLoopGroup group;
    private final Handshake handshake;
    private final Pages pages;
    private final NioServerSocketChannel channel;
    /** Connections, in the order in which they have begun to be idle. */
    private final Set<ServerConnection> open = new LinkedHashSet<>();

    private final BodyRoom room = new BodyRoom(MAX_BODY_OCTETS);
    private volatile boolean draining;

    /** The pages of a port. */
    interface Pages {
        /** Returns the answer to a whole request, on the event loop. */
        Answer answer(String method, String path, byte[] body);
    }

    private WebhookServer(String name, EventLoopGroup group, Handshake handshake, Pages pages) throws IOException {
        this.name = name;
        this.group = group;
        this.handshake = handshake;
        this.pages = pages;
        this.channel = new Binding().channel();
    }

    /**
     * Binds the port and begins to accept.
     *
     * @param name for messages
     */
    static WebhookServer start(String name, Address address, EventLoopGroup group, Handshake handshake, Pages pages)
            throws IOException {
        InetSocketAddress wanted = new InetSocketAddress(address.host(), address.port());
        if (wanted.isUnresolved()) {
            throw new BindException(name + ": " + address + ": no such host");
        }
        WebhookServer server = new WebhookServer(name, group, handshake, pages);
        server.bind(address, wanted);
        return server;
    }

    private void bind(Address address, InetSocketAddress wanted) throws IOException {
        channel.config().setBacklog(BACKLOG).setAllocator(UnpooledByteBufAllocator.DEFAULT);
        channel.pipeline().addLast(this);
        ChannelFuture bound = group.register(channel).awaitUninterruptibly();
        bound = bound.isSuccess() ? channel.bind(wanted).awaitUninterruptibly() : bound;
        if (!bound.isSuccess()) {
            channel.close();
            throw new BindException(name + ": " + address + ": " + bound.cause().getMessage());
        }
        group.next().scheduleWithFixedDelay(this, SWEEP_MS, SWEEP_MS, TimeUnit.MILLISECONDS);
    }

    InetSocketAddress address() {
        return channel.localAddress();
    }

    @Override
    public String toString() {
        return name;
    }

    // ---- connections

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        Channel accepted = (Channel) message;
        accepted.config().setAllocator(UnpooledByteBufAllocator.DEFAULT);
        if (accepted instanceof SocketChannel tcp) {
            tcp.config().setTcpNoDelay(true);
        }
        ServerConnection connection = new ServerConnection(this, accepted);
        open.add(connection);
        if (open.size() > MAX_CONNECTIONS) {
            endOldestOfMost(open);
        }
        group.register(accepted).addListener(new ChannelFutureListener() {
            @Override
            public void operationComplete(ChannelFuture registered) {
                if (registered.isSuccess()) {
                    handshake.begin(accepted, connection);
                } else {
                    open.remove(connection);
                    accepted.unsafe().closeForcibly();
                }
            }
        });
    }

    /** Closes the oldest handshake of the address that has most of them; returns whether there was one. */
    boolean endHandshakeOfMost() {
        List<ServerConnection> under = new ArrayList<>(MAX_CONNECTIONS);
        for (ServerConnection one : open) {
            if (one.isInHandshake()) {
                under.add(one);
            }
        }
        return endOldestOfMost(under);
    }

    private static boolean endOldestOfMost(Collection<ServerConnection> all) {
        Map<Object, Integer> counts = new HashMap<>();
        for (ServerConnection one : all) {
            Integer count = counts.get(one.client());
            counts.put(one.client(), count == null ? 1 : count + 1);
        }
        ServerConnection oldest = null;
        int most = 0;
        for (ServerConnection one : all) {
            int count = counts.getOrDefault(one.client(), 0);
            if (count > most) {
                most = count;
                oldest = one;
            }
        }
        if (oldest != null) {
            oldest.makeRoomForOther();
        }
        return oldest != null;
    }

    private boolean closeOneThatIsIdle() {
        for (ServerConnection one : open) {
            if (one.isIdle()) {
                one.close();
                return true;
            }
        }
        return false;
    }

    /** A connection has become idle. */
    void idle(ServerConnection connection) {
        if (open.remove(connection)) {
            open.add(connection);
        }
    }

    void closed(ServerConnection connection) {
        open.remove(connection);
    }

    /** A connection without a descriptor could not be accepted; the next look finds it again. */
    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        channel.config().setAutoRead(false);
    }

    /** Ends what has taken too long, and accepts again after a failure. */
    @Override
    public void run() {
        long nowNs = System.nanoTime();
        for (ServerConnection one : open.toArray(new ServerConnection[0])) {
            one.look(nowNs);
        }
        channel.config().setAutoRead(true);
    }

    // ---- requests

    Answer answer(String method, String target, byte[] body) {
        int query = target.indexOf('?');
        return pages.answer(method, query < 0 ? target : target.substring(0, query), body);
    }

    /** Returns the room of a connection for bodies, which has none of it yet. */
    BodyRoom.Share share(ServerConnection connection) {
        return room.new Share(connection);
    }

    // ---- the end

    boolean isDraining() {
        return draining;
    }

    /** Ends each connection with its next response, from now on. Any thread. */
    void drain() {
        draining = true;
    }

    /** Accepts no more, and ends idle connections; returns whether none is left. Any thread but the event loop. */
    boolean finish() {
        channel.close().awaitUninterruptibly(CLOSE_MS);
        boolean[] left = {true};
        group.next()
                .submit(new Runnable() {
                    @Override
                    public void run() {
                        boolean closed = true;
                        while (closed) {
                            closed = closeOneThatIsIdle();
                        }
                        left[0] = !open.isEmpty();
                    }
                })
                .awaitUninterruptibly(CLOSE_MS);
        return !left[0];
    }

    /** Called when the response has left, or cannot. */
    @Override
    public void operationComplete(ChannelFuture written) {
        ServerConnection connection = written.channel().pipeline().get(ServerConnection.class);
        if (connection != null) {
            connection.written(written.isSuccess());
        }
    }
}
