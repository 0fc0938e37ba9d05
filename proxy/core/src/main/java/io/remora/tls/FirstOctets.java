package io.remora.tls;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.remora.memory.HandshakeBudget;
import io.remora.metrics.TlsStats;
import io.remora.transport.Handshake;
import io.remora.transport.InboundHandler;
import java.io.IOException;

/**
 * Handler of an accepted connection until its client's first octets, which it passes to the handler that they are for. Where
 * there is no room for the handshake yet, it keeps them, and reads nothing meanwhile.
 *
 * <p>A record of a handshake begins with 22 and a version whose first octet is 3; no request begins with 22.
 *
 * <p>Owner: its channel's event loop. Bounds: no buffer until the client has spoken, then
 * {@link HandshakeBudget#MOST_WAITING_OCTETS}. Spec: RFC 8446 5.1.
 */
final class FirstOctets extends InboundHandler implements Runnable {
    private enum Life {
        SILENT,
        /** One octet has come that may begin a record. This tells which, as all connections may share its buffer. */
        IN_DOUBT,
        /** The octets wait with their connection. */
        WAITS,
        DECIDED
    }

    private final Channel channel;
    private final Handshake.Outcome outcome;
    private final Next next;
    private final TlsStats stats;
    /** False where octets that do not begin a record are judged by the handler of TLS. */
    private final boolean tellsApart;

    private Life life = Life.SILENT;
    private ByteBuf held = Unpooled.EMPTY_BUFFER;

    /**
     * @param tellsApart whether it tells TLS from plain octets, for which it needs two; else all octets are those of TLS
     */
    FirstOctets(Channel channel, Handshake.Outcome outcome, Next next, TlsStats stats, boolean tellsApart) {
        this.channel = channel;
        this.outcome = outcome;
        this.next = next;
        this.stats = stats;
        this.tellsApart = tellsApart;
    }

    /** Handshake that goes on once the octets have come. */
    interface Next {
        /** Adds the handler that the octets are for. */
        void begin(Channel channel, Handshake.Outcome outcome, boolean isTls);
    }

    @Override
    public void channelRead(ChannelHandlerContext at, Object message) {
        if (life == Life.DECIDED || !(message instanceof ByteBuf wire)) {
            at.fireChannelRead(message);
        } else if (life == Life.WAITS) {
            hold(at, wire);
        } else {
            look(at, wire);
        }
    }

    private void look(ChannelHandlerContext at, ByteBuf wire) {
        int octets = wire.readableBytes();
        boolean inDoubt = life == Life.IN_DOUBT;
        boolean mayBeTls =
                !tellsApart || inDoubt || octets > 0 && wire.getByte(wire.readerIndex()) == Records.HANDSHAKE;
        if (octets == 0 || tellsApart && mayBeTls && !inDoubt && octets == 1) {
            life = octets > 0 ? Life.IN_DOUBT : life;
            wire.release();
            return;
        }
        int second = wire.readerIndex() + (inDoubt ? 0 : 1);
        boolean isTls = !tellsApart || mayBeTls && wire.getByte(second) == Records.MAJOR_VERSION;
        if (!isTls || outcome.speaks(this)) {
            goOn(at, wire, isTls);
        } else {
            hold(at, wire);
        }
    }

    private void goOn(ChannelHandlerContext at, ByteBuf wire, boolean isTls) {
        boolean inDoubt = life == Life.IN_DOUBT;
        life = Life.DECIDED;
        next.begin(channel, outcome, isTls);
        if (!channel.isOpen()) {
            // refused, so that nobody is there to read it
            wire.release();
            return;
        }
        if (inDoubt) {
            at.fireChannelRead(at.alloc().directBuffer(1, 1).writeByte(Records.HANDSHAKE));
        }
        at.fireChannelRead(wire);
        if (!at.isRemoved()) {
            at.pipeline().remove(this);
        }
    }

    // ---- waiting for room

    private void hold(ChannelHandlerContext at, ByteBuf wire) {
        int first = life == Life.IN_DOUBT ? 1 : 0;
        int octets = first + held.readableBytes() + wire.readableBytes();
        if (!channel.isOpen()) {
            wire.release();
        } else if (octets > HandshakeBudget.MOST_WAITING_OCTETS) {
            wire.release();
            lose(TlsFailure.BUSY);
        } else {
            life = Life.WAITS;
            ByteBuf all = at.alloc().directBuffer(octets, octets);
            if (first > 0) {
                all.writeByte(Records.HANDSHAKE);
            }
            all.writeBytes(held).writeBytes(wire);
            held.release();
            wire.release();
            held = all;
            channel.config().setAutoRead(false);
        }
    }

    /** Goes on with the octets that have waited. */
    @Override
    public void run() {
        ChannelHandlerContext at = channel.pipeline().context(this);
        if (life == Life.WAITS && at != null) {
            ByteBuf wire = held;
            held = Unpooled.EMPTY_BUFFER;
            channel.config().setAutoRead(true);
            goOn(at, wire, true);
            if (channel.isOpen()) {
                channel.pipeline().fireChannelReadComplete();
            }
        }
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext at) {
        held.release();
        held = Unpooled.EMPTY_BUFFER;
    }

    // ---- an end before that

    @Override
    public void userEventTriggered(ChannelHandlerContext at, Object event) {
        if (event instanceof ChannelInputShutdownEvent && life != Life.DECIDED) {
            lose(TlsFailure.TRUNCATED);
        } else {
            at.fireUserEventTriggered(event);
        }
    }

    /** Where it has decided and is still here, the connection was closed, and may fail once more by that. */
    @Override
    public void exceptionCaught(ChannelHandlerContext at, Throwable cause) {
        if (life != Life.DECIDED) {
            lose(cause instanceof IOException ? TlsFailure.TRUNCATED : TlsFailure.INTERNAL);
        }
    }

    /** Handles an end of our own, when the time was over: the peer's end would have been seen before. */
    @Override
    public void channelInactive(ChannelHandlerContext at) {
        if (life != Life.DECIDED) {
            lose(TlsFailure.TIMEOUT);
        }
        at.fireChannelInactive();
    }

    private void lose(TlsFailure failure) {
        life = Life.DECIDED;
        stats.failed(failure.label());
        outcome.failed(new TlsException(failure, "before the first octets"));
    }
}
