package io.remora.tls;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.remora.metrics.TlsStats;
import io.remora.transport.Handshake;
import io.remora.transport.InboundHandler;
import io.remora.transport.Link;
import java.io.IOException;

/**
 * The handshake of a listener that takes plain HTTP next to TLS. It tells the two apart by a connection's first octets,
 * and leaves TLS to the handshake of a strict listener. A record of a handshake begins with 22 and a version whose
 * first octet is 3; no request begins with 22.
 *
 * <p>Thread safe. Bounds: a connection that has said nothing holds a handler and no buffer; for how long is the matter
 * of who began it. Spec: RFC 8446 5.1.
 */
final class PermissiveHandshake implements Handshake {
    private final Handshake tls;
    private final TlsStats stats;

    PermissiveHandshake(Handshake tls, TlsStats stats) {
        this.tls = tls;
        this.stats = stats;
    }

    @Override
    public void begin(Channel channel, Outcome outcome) {
        channel.pipeline().addLast(new FirstOctets(channel, outcome));
    }

    @Override
    public Handshake wrapped() {
        return tls;
    }

    @Override
    public void end() {
        tls.end();
    }

    @Override
    public void release() {
        tls.release();
    }

    private void beginPlain(Channel channel, Outcome outcome) {
        stats.plainOpened();
        channel.closeFuture().addListener(new ChannelFutureListener() {
            @Override
            public void operationComplete(ChannelFuture closed) {
                stats.plainClosed();
            }
        });
        outcome.ready(new Link(channel));
    }

    /**
     * Waits for the first octets, passes them to the handler that they are for, and goes. Owner: its channel's event
     * loop.
     */
    private final class FirstOctets extends InboundHandler {
        private final Channel channel;
        private final Outcome outcome;
        /**
         * True after one octet that may begin a record. The octet is kept as this flag, as all connections may share
         * the buffer.
         */
        private boolean inDoubt;

        private boolean decided;

        FirstOctets(Channel channel, Outcome outcome) {
            this.channel = channel;
            this.outcome = outcome;
        }

        @Override
        public void channelRead(ChannelHandlerContext at, Object message) {
            if (decided || !(message instanceof ByteBuf wire)) {
                at.fireChannelRead(message);
                return;
            }
            int octets = wire.readableBytes();
            boolean mayBeTls = inDoubt || octets > 0 && wire.getByte(wire.readerIndex()) == Records.HANDSHAKE;
            int second = wire.readerIndex() + (inDoubt ? 0 : 1);
            if (octets == 0 || mayBeTls && !inDoubt && octets == 1) {
                inDoubt |= mayBeTls;
                wire.release();
            } else {
                decide(at, wire, mayBeTls && wire.getByte(second) == Records.MAJOR_VERSION);
            }
        }

        private void decide(ChannelHandlerContext at, ByteBuf wire, boolean isTls) {
            decided = true;
            if (isTls) {
                tls.begin(channel, outcome);
            } else {
                beginPlain(channel, outcome);
            }
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

        // ---- an end before that

        @Override
        public void userEventTriggered(ChannelHandlerContext at, Object event) {
            if (event instanceof ChannelInputShutdownEvent && !decided) {
                lose(TlsFailure.TRUNCATED);
            } else {
                at.fireUserEventTriggered(event);
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext at, Throwable cause) {
            if (decided) {
                at.fireExceptionCaught(cause);
            } else {
                lose(cause instanceof IOException ? TlsFailure.TRUNCATED : TlsFailure.INTERNAL);
            }
        }

        /** Handles an end of our own, when the time was over: the peer's end would have been seen before. */
        @Override
        public void channelInactive(ChannelHandlerContext at) {
            if (!decided) {
                lose(TlsFailure.TIMEOUT);
            }
            at.fireChannelInactive();
        }

        private void lose(TlsFailure failure) {
            decided = true;
            stats.failed(failure.label());
            outcome.failed(new TlsException(failure, "before the first octets"));
        }
    }
}
