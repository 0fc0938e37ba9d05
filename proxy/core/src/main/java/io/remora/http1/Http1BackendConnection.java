package io.remora.http1;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelOutputShutdownException;
import io.netty.util.ReferenceCountUtil;
import io.remora.http.Failure;
import io.remora.memory.Held;
import io.remora.pool.Connection;
import io.remora.pool.EndpointPool;
import io.remora.stream.BackendStream;
import io.remora.stream.StreamClient;
import io.remora.transport.Deadline;
import io.remora.transport.InboundHandler;
import io.remora.transport.Link;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP/1.1 connection to an endpoint: one stream at a time, never pipelined.
 *
 * <p>Owner: its pool's event loop.
 *
 * <p>Spec: RFC 9112 section 9; a response that breaks a rule is a 502 and ends the connection.
 */
final class Http1BackendConnection extends Connection implements Deadline.Expirable {
    /** State of the connection, which decides its further use. */
    private enum Life {
        /** Carries one stream after the other. */
        OPEN,
        /** The endpoint takes no more of a request; a response may still be there to be read. */
        OUTPUT_BROKEN,
        /** The endpoint sent octets that nobody asked for. */
        SPOILT,
        /** Carries raw bytes. */
        TUNNEL,
        CLOSED
    }

    private final Http1BackendProtocol shared;
    private final EndpointPool pool;
    private final Link link;
    private final Channel channel;
    private final Deadline deadline;
    private final MessageWriter out;
    private final ResponseParser parser;
    private final BodyReader body;
    /** Time from which it carries no further stream. */
    private final long endsNs;

    private @Nullable Http1BackendRequest stream;
    private Life life = Life.OPEN;
    private boolean served;
    /** Bytes of the heap that an unfinished head or trailers take, as the loop's budget counts them. */
    private final Held held;

    private Http1BackendConnection(Http1BackendProtocol shared, Link link, EndpointPool pool) {
        this.shared = shared;
        this.pool = pool;
        this.link = link;
        this.channel = link.channel();
        this.out = new MessageWriter(channel);
        this.deadline = shared.loop().deadlines().add(this);
        this.parser = new ResponseParser(shared.rules());
        this.body = new BodyReader(shared.rules().ofBody());
        this.endsNs = shared.endsNs();
        this.held = new Held(shared.loop().memory());
    }

    static Http1BackendConnection install(Http1BackendProtocol shared, Link link, EndpointPool pool) {
        Http1BackendConnection connection = new Http1BackendConnection(shared, link, pool);
        link.channel().pipeline().addLast(connection.new Handler());
        return connection;
    }

    Link link() {
        return link;
    }

    Http1BackendProtocol shared() {
        return shared;
    }

    ResponseParser parser() {
        return parser;
    }

    BodyReader body() {
        return body;
    }

    // ---- the pool

    @Override
    protected int maxStreams() {
        return 1;
    }

    // what arrived in this turn of the loop may not have been read yet, and would be taken for the next response
    @Override
    protected boolean isFit() {
        if (!isOpen() || shared.isOver(endsNs)) {
            return false;
        }
        link.readNow();
        return isOpen();
    }

    private boolean isOpen() {
        return life == Life.OPEN && channel.isActive();
    }

    @Override
    protected BackendStream newStream(StreamClient client) {
        Http1BackendRequest next = new Http1BackendRequest(this, client, served);
        served = true;
        stream = next;
        deadline.clear();
        return next;
    }

    @Override
    protected void onIdle() {
        deadline.set(shared.restNs(endsNs));
    }

    @Override
    public void close() {
        if (life == Life.TUNNEL) {
            // what was sent last reaches the endpoint
            link.closeBehindWrites();
        } else {
            channel.close();
        }
    }

    // ---- what the stream wants

    MessageWriter out() {
        return out;
    }

    void readOn(boolean wanted) {
        if (channel.config().isAutoRead() != wanted) {
            channel.config().setAutoRead(wanted);
        }
    }

    /**
     * Counts the octets of a head or of trailers that are not whole.
     *
     * @return whether the loop's share of the heap has room for it
     */
    boolean holdUnfinished() {
        return held.to(parser.heldBytes() + body.heldBytes());
    }

    /** The only deadline of the connection; its stream decides on its use. */
    Deadline deadline() {
        return deadline;
    }

    boolean isOutputBroken() {
        return life == Life.OUTPUT_BROKEN;
    }

    void openTunnel() {
        life = Life.TUNNEL;
        deadline.clear();
        Link.allowHalfClosure(channel);
        readOn(true);
    }

    /**
     * Ends the connection's stream, and has the pool keep the connection or close it.
     *
     * @param reusable whether the connection stands between two messages
     */
    void streamEnded(boolean reusable) {
        stream = null;
        deadline.clear();
        if (held.bytes() > 0) {
            // the connection may linger, and is not to keep what nobody will read
            parser.reset();
            body.abandon();
            held.to(0);
        }
        readOn(true);
        pool.streamEnded(this, reusable && isOpen() && !shared.isOver(endsNs));
    }

    // ---- the channel

    /** The connection's handler in its pipeline. */
    private final class Handler extends InboundHandler {
        @Override
        public void handlerAdded(ChannelHandlerContext added) {
            out.attach(added);
        }

        @Override
        public void channelRead(ChannelHandlerContext at, Object message) {
            if (message instanceof ByteBuf bytes) {
                read(bytes);
            } else {
                ReferenceCountUtil.release(message);
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext at) {
            Http1BackendRequest current = stream;
            if (current != null) {
                current.readComplete();
            } else if (life == Life.SPOILT) {
                channel.close();
            }
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext at) {
            Http1BackendRequest current = stream;
            if (current != null) {
                current.writabilityChanged(channel.isWritable());
            }
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext at, Object event) {
            Http1BackendRequest current = stream;
            if (event instanceof ChannelInputShutdownEvent && current != null) {
                current.inputEnded();
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext at) {
            closed();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext at, Throwable cause) {
            failed(cause);
        }
    }

    private void read(ByteBuf bytes) {
        Http1BackendRequest current = stream;
        if (current == null) {
            life = life == Life.OPEN ? Life.SPOILT : life;
            bytes.release();
            return;
        }
        try {
            if (!current.read(bytes)) {
                // bytes behind the response that was asked for
                life = Life.SPOILT;
            }
        } finally {
            bytes.release();
        }
    }

    private void closed() {
        boolean broken = life == Life.OUTPUT_BROKEN;
        life = Life.CLOSED;
        deadline.cancel();
        Http1BackendRequest current = stream;
        if (current != null) {
            current.closed(broken);
        }
        pool.closed(this);
    }

    private void failed(Throwable cause) {
        Http1BackendRequest current = stream;
        if (life == Life.TUNNEL) {
            channel.close();
            return;
        }
        if (life == Life.OUTPUT_BROKEN && cause instanceof ClosedChannelException
                || cause instanceof ChannelOutputShutdownException) {
            // what is read next tells whether the endpoint has answered or is gone
            life = Life.OUTPUT_BROKEN;
            if (current != null) {
                current.outputBroken();
            }
            return;
        }
        if (!(cause instanceof IOException)) {
            shared.loop().report("backend connection ended by ", cause);
        }
        if (current != null) {
            current.fail(Failure.BACKEND_CLOSED);
        }
        channel.close();
    }

    @Override
    public void onDeadline() {
        Http1BackendRequest current = stream;
        if (current == null) {
            channel.close();
        } else {
            current.onDeadline();
        }
    }
}
