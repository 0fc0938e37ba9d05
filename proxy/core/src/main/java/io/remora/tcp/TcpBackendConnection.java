package io.remora.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.util.ReferenceCountUtil;
import io.remora.pool.Connection;
import io.remora.pool.EndpointPool;
import io.remora.stream.BackendStream;
import io.remora.stream.StreamClient;
import io.remora.transport.Deadline;
import io.remora.transport.InboundHandler;
import io.remora.transport.Link;
import io.remora.transport.Loop;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A connection to an endpoint that carries one tunnel and ends with it. One that nobody wants any more when it is made closes
 * at once: what an endpoint says first is for one client only.
 *
 * <p>Owner: its pool's event loop. Bounds: the channel's water marks, and how long the endpoint may take for what was sent last.
 */
final class TcpBackendConnection extends Connection implements Deadline.Expirable {
    private final Loop loop;
    private final EndpointPool pool;
    private final Link link;
    private final Channel channel;
    private final Deadline deadline;
    private @Nullable ChannelHandlerContext context;
    private @Nullable BackendTunnel tunnel;
    private boolean used;
    private boolean resets;
    /** Send position of the last octets, while the endpoint is to take them. */
    private long sendPosition;

    private long lastNs;

    private TcpBackendConnection(Loop loop, Link link, EndpointPool pool) {
        this.loop = loop;
        this.pool = pool;
        this.link = link;
        this.channel = link.channel();
        this.deadline = loop.deadlines().add(this);
    }

    static TcpBackendConnection install(Loop loop, Link link, EndpointPool pool) {
        TcpBackendConnection connection = new TcpBackendConnection(loop, link, pool);
        Channel channel = link.channel();
        Link.allowHalfClosure(channel);
        channel.pipeline().addLast(connection.new Handler());
        return connection;
    }

    Loop loop() {
        return loop;
    }

    Link link() {
        return link;
    }

    // ---- the pool

    @Override
    protected int maxStreams() {
        return used ? 0 : 1;
    }

    @Override
    protected boolean isFit() {
        return !used && channel.isActive();
    }

    @Override
    protected BackendStream newStream(StreamClient client) {
        used = true;
        BackendTunnel begun = new BackendTunnel(this, client);
        tunnel = begun;
        return begun;
    }

    @Override
    protected void onIdle() {
        used = true;
        channel.close();
    }

    @Override
    public void close() {
        if (resets || !used) {
            link.closeByReset();
        } else {
            // what was sent last reaches the endpoint
            link.closeBehindWrites();
            if (link.hasUnsent()) {
                sendPosition = link.sendPosition();
                deadline.set(lastNs);
            }
        }
    }

    // ---- what the tunnel wants

    void write(ByteBuf bytes) {
        ChannelHandlerContext at = context;
        if (at == null) {
            bytes.release();
        } else {
            at.write(bytes, channel.voidPromise());
        }
    }

    void flush() {
        if (context != null) {
            context.flush();
        }
    }

    boolean isWritable() {
        return channel.isWritable();
    }

    void read(boolean wanted) {
        if (channel.config().isAutoRead() != wanted) {
            channel.config().setAutoRead(wanted);
        }
    }

    /**
     * Ends the tunnel for its client.
     *
     * @param inOrder whether the endpoint is to take what was sent last
     * @param mostNs how long it may take nothing of that
     */
    void tunnelEnded(boolean inOrder, long mostNs) {
        tunnel = null;
        resets = !inOrder;
        lastNs = mostNs;
        // its end is seen only by who reads
        read(true);
        pool.streamEnded(this, false);
    }

    @Override
    public void onDeadline() {
        if (link.hasUnsent() && link.sendPosition() != sendPosition) {
            sendPosition = link.sendPosition();
            deadline.set(lastNs);
        } else {
            link.closeByReset();
        }
    }

    // ---- the channel

    /** Handler of the connection in its pipeline. */
    private final class Handler extends InboundHandler {
        @Override
        public void handlerAdded(ChannelHandlerContext added) {
            context = added;
        }

        @Override
        public void channelRead(ChannelHandlerContext at, Object message) {
            BackendTunnel current = tunnel;
            if (current != null && message instanceof ByteBuf bytes) {
                current.take(bytes);
            } else {
                ReferenceCountUtil.release(message);
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext at) {
            BackendTunnel current = tunnel;
            if (current != null) {
                current.readComplete();
            }
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext at) {
            BackendTunnel current = tunnel;
            if (current != null) {
                current.writabilityChanged(channel.isWritable());
            }
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext at, Object event) {
            BackendTunnel current = tunnel;
            if (event instanceof ChannelInputShutdownEvent && current != null) {
                current.inputEnded();
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext at) {
            used = true;
            deadline.cancel();
            BackendTunnel current = tunnel;
            if (current != null) {
                current.broken();
            }
            pool.closed(TcpBackendConnection.this);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext at, Throwable cause) {
            if (!(cause instanceof IOException)) {
                loop.report("backend connection ended by ", cause);
            }
            BackendTunnel current = tunnel;
            if (current != null) {
                current.broken();
            }
            channel.close();
        }
    }
}
