package io.remora.tls;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.remora.memory.HandshakeBudget;
import io.remora.transport.Handshake;
import io.remora.transport.InboundHandler;
import java.io.IOException;

/**
 * Handler of an accepted connection until its client's first two octets, which it passes to the handler that they are for.
 * Octets that begin no handshake go on at once. Where there is no room for a handshake yet, it keeps its octets, and reads
 * nothing meanwhile.
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
        DECIDED,
        /** The connection has failed, and closes. */
        LOST
    }

    private final Channel channel;
    private final Handshake.Outcome outcome;
    private final Next next;

    private Life life = Life.SILENT;
    private ByteBuf held = Unpooled.EMPTY_BUFFER;

    FirstOctets(Channel channel, Handshake.Outcome outcome, Next next) {
        this.channel = channel;
        this.outcome = outcome;
        this.next = next;
    }

    /** Handshake that goes on once the octets have come. */
    interface Next {
        /** Adds the handler that the octets are for. */
        void begin(Channel channel, Handshake.Outcome outcome, boolean isTls);

        /**
         * Counts a connection that fails without a handshake.
         *
         * @param told whether the client has said anything; one that only connects and leaves is a probe
         */
        void lost(TlsException cause, boolean told);
    }

    @Override
    public void channelRead(ChannelHandlerContext at, Object message) {
        if (life == Life.DECIDED || !(message instanceof ByteBuf wire)) {
            at.fireChannelRead(message);
        } else if (life == Life.SILENT || life == Life.IN_DOUBT) {
            look(at, wire);
        } else {
            try {
                keep(wire);
            } finally {
                wire.release();
            }
        }
    }

    private void look(ChannelHandlerContext at, ByteBuf wire) {
        int octets = wire.readableBytes();
        boolean inDoubt = life == Life.IN_DOUBT;
        boolean mayBeTls = inDoubt || octets > 0 && wire.getByte(wire.readerIndex()) == Records.HANDSHAKE;
        if (octets == 0 || mayBeTls && !inDoubt && octets == 1) {
            life = octets > 0 ? Life.IN_DOUBT : life;
            wire.release();
            return;
        }
        int second = wire.readerIndex() + (inDoubt ? 0 : 1);
        boolean isTls = mayBeTls && wire.getByte(second) == Records.MAJOR_VERSION;
        boolean goesOn = false;
        try {
            goesOn = !isTls || outcome.speaks(octets, this);
            if (!goesOn) {
                keep(wire);
            }
        } finally {
            if (!goesOn) {
                wire.release();
            }
        }
        if (goesOn) {
            goOn(at, wire, isTls);
        }
    }

    private void goOn(ChannelHandlerContext at, ByteBuf wire, boolean isTls) {
        boolean inDoubt = life == Life.IN_DOUBT;
        life = Life.DECIDED;
        ByteBuf unread = wire;
        try {
            next.begin(channel, outcome, isTls);
            // else it was refused, so that nobody is there to read
            if (channel.isOpen()) {
                if (inDoubt) {
                    at.fireChannelRead(at.alloc().directBuffer(1, 1).writeByte(Records.HANDSHAKE));
                }
                unread = Unpooled.EMPTY_BUFFER;
                at.fireChannelRead(wire);
                if (!at.isRemoved()) {
                    at.pipeline().remove(this);
                }
            }
        } finally {
            unread.release();
        }
    }

    // ---- waiting for room

    private void keep(ByteBuf wire) {
        int first = life == Life.IN_DOUBT ? 1 : 0;
        int octets = first + held.readableBytes() + wire.readableBytes();
        if (life == Life.LOST) {
            return;
        }
        life = Life.WAITS;
        if (!channel.isOpen()) {
            return;
        }
        if (octets > HandshakeBudget.MOST_WAITING_OCTETS) {
            lose(new TlsException(
                    TlsFailure.MEMORY,
                    "with a first flight of more than " + HandshakeBudget.MOST_WAITING_OCTETS + " octets"));
            return;
        }
        channel.config().setAutoRead(false);
        ByteBuf all = channel.alloc().directBuffer(octets, octets);
        if (first > 0) {
            all.writeByte(Records.HANDSHAKE);
        }
        all.writeBytes(held).writeBytes(wire);
        held.release();
        held = all;
    }

    /** Resumes the connection with the octets that have waited. A fault ends this connection only. */
    @Override
    public void run() {
        ChannelHandlerContext at = channel.pipeline().context(this);
        if (life != Life.WAITS || at == null) {
            return;
        }
        ByteBuf wire = held;
        held = Unpooled.EMPTY_BUFFER;
        try {
            channel.config().setAutoRead(true);
            goOn(at, wire, true);
            if (channel.isOpen()) {
                channel.pipeline().fireChannelReadComplete();
            }
        } catch (RuntimeException | Error e) {
            exceptionCaught(at, e);
        }
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext at) {
        held.release();
        held = Unpooled.EMPTY_BUFFER;
    }

    // ---- an end before that

    private boolean isOver() {
        return life == Life.DECIDED || life == Life.LOST;
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext at, Object event) {
        if (event instanceof ChannelInputShutdownEvent && !isOver()) {
            lose(before(TlsFailure.TRUNCATED));
        } else {
            at.fireUserEventTriggered(event);
        }
    }

    /** Handles a failed read, or a fault of the next handshake while it begins. What is closed may fail once more by that. */
    @Override
    public void exceptionCaught(ChannelHandlerContext at, Throwable cause) {
        if (!isOver()) {
            lose(cause instanceof IOException ? before(TlsFailure.TRUNCATED) : TlsException.of(cause));
        } else if (life == Life.DECIDED && channel.isOpen()) {
            lose(TlsException.of(cause));
        }
    }

    /** Handles an end of our own: the peer's end would have been seen before. */
    @Override
    public void channelInactive(ChannelHandlerContext at) {
        if (!isOver()) {
            lose(before(TlsFailure.of(outcome.cutReason())));
        }
        at.fireChannelInactive();
    }

    private TlsException before(TlsFailure failure) {
        String when = life == Life.WAITS ? "while it waited for memory" : "before the first octets";
        return new TlsException(failure, life == Life.IN_DOUBT ? "after the first octet" : when);
    }

    private void lose(TlsException cause) {
        boolean told = life != Life.SILENT;
        life = Life.LOST;
        next.lost(cause, told);
        outcome.failed(cause);
    }
}
