package io.remora.proxyprotocol;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.remora.config.model.LogComponent;
import io.remora.log.Log;
import io.remora.log.LogThrottle;
import io.remora.metrics.ProxyHeaderStats;
import io.remora.text.IpAddress;
import io.remora.transport.Handshake;
import io.remora.transport.InboundHandler;
import io.remora.transport.Link;
import io.remora.trust.Cidrs;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;

/**
 * Handshake of a listener behind a proxy that sends each connection's client by the PROXY protocol. Connections of
 * trusted networks begin with a header, and are closed where they do not. Those of others are taken as they are, so
 * that nothing is guessed from the octets of a stranger (section 5 of the specification). The octets after the header are
 * for the next handshake.
 *
 * <p>Thread safe. Bounds: a connection whose header is not whole holds some 200 octets; its owner bounds the time.
 */
public final class ProxyHandshake implements Handshake {

    private final String name;
    private final Cidrs from;
    private final Handshake next;
    private final ProxyHeaderStats stats;
    private final LogThrottle throttle = LogThrottle.ofSource();

    /**
     * @param name for logs, such as {@code listener in}
     * @param from whose connections begin with a header
     * @param next what goes on after it
     */
    public ProxyHandshake(String name, Cidrs from, Handshake next, ProxyHeaderStats stats) {
        this.name = name;
        this.from = from;
        this.next = next;
        this.stats = stats;
    }

    @Override
    public void begin(Channel channel, Outcome outcome) {
        if (namesClient(channel)) {
            channel.pipeline().addLast(new HeaderReader(channel, outcome));
        } else {
            next.begin(channel, outcome);
        }
    }

    private boolean namesClient(Channel channel) {
        SocketAddress peer = channel.remoteAddress();
        // for each connection, as connections of several loops begin at once
        IpAddress address = new IpAddress();
        return peer instanceof InetSocketAddress inet
                && inet.getAddress() != null
                && address.parse(withoutZone(inet.getAddress().getHostAddress()))
                && from.contain(address);
    }

    private static String withoutZone(String address) {
        int zone = address.indexOf('%');
        return zone < 0 ? address : address.substring(0, zone);
    }

    @Override
    public void end() {
        next.end();
    }

    @Override
    public void release() {
        next.release();
    }

    private void refused(Channel channel, String why) {
        stats.refused();
        String tail = throttle.tail(System.nanoTime());
        if (tail != null) {
            Log.warn(
                    LogComponent.LISTENER,
                    name + ": closing a connection from " + channel.remoteAddress() + "; " + why + tail);
        }
    }

    /** Goes on with a link that knows whom it comes from. */
    private static final class Told implements Outcome {
        private final Outcome outcome;
        private final String source;

        Told(Outcome outcome, String source) {
            this.outcome = outcome;
            this.source = source;
        }

        @Override
        public void ready(Link link) {
            link.comesFrom(source);
            outcome.ready(link);
        }

        @Override
        public void failed(Throwable cause) {
            outcome.failed(cause);
        }

        @Override
        public void counts(boolean inFlight) {
            outcome.counts(inFlight);
        }

        @Override
        public boolean speaks(int octets, Runnable later) {
            return outcome.speaks(octets, later);
        }

        @Override
        public boolean makeRoom() {
            return outcome.makeRoom();
        }

        @Override
        public Cut cutReason() {
            return outcome.cutReason();
        }
    }

    /** Reads the header, passes on what comes after it, and goes. Owner: its channel's event loop. */
    private final class HeaderReader extends InboundHandler {
        private final Channel channel;
        private final Outcome outcome;
        private final ProxyHeader header = new ProxyHeader();
        private boolean decided;

        HeaderReader(Channel channel, Outcome outcome) {
            this.channel = channel;
            this.outcome = outcome;
        }

        @Override
        public void channelRead(ChannelHandlerContext at, Object message) {
            if (decided || !(message instanceof ByteBuf wire)) {
                at.fireChannelRead(message);
                return;
            }
            switch (header.read(wire)) {
                case MORE -> wire.release();
                case BROKEN -> {
                    wire.release();
                    lose("it does not begin with a PROXY header", false);
                }
                case WHOLE -> goOn(at, wire);
            }
        }

        private void goOn(ChannelHandlerContext at, ByteBuf wire) {
            decided = true;
            String source = header.source();
            stats.taken(source != null);
            if (source != null) {
                outcome.comesFrom(source);
            }
            next.begin(channel, source == null ? outcome : new Told(outcome, source));
            if (channel.isOpen() && wire.isReadable()) {
                at.fireChannelRead(wire);
            } else {
                wire.release();
            }
            if (!at.isRemoved()) {
                at.pipeline().remove(this);
            }
        }

        // ---- an end before that

        @Override
        public void userEventTriggered(ChannelHandlerContext at, Object event) {
            if (event instanceof ChannelInputShutdownEvent && !decided) {
                lose("it has ended before its PROXY header", true);
            } else {
                at.fireUserEventTriggered(event);
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext at, Throwable cause) {
            // one that was closed may fail once more by that
            if (!decided || channel.isOpen()) {
                boolean broke = cause instanceof IOException;
                lose(broke ? "it broke before its PROXY header" : cause.toString(), broke);
            }
        }

        /** Handles an end of our own: the peer's end would have been seen before. */
        @Override
        public void channelInactive(ChannelHandlerContext at) {
            if (!decided) {
                boolean late = outcome.cutReason() == Cut.TIME;
                lose(
                        late
                                ? "its PROXY header has not come in time"
                                : "memory was short before its PROXY header came",
                        false);
            }
            at.fireChannelInactive();
        }

        private void lose(String why, boolean peerLeft) {
            decided = true;
            // who only connects and leaves is a probe
            if (!peerLeft || !header.isEmpty()) {
                refused(channel, why);
            }
            outcome.failed(new IOException(why));
        }
    }
}
