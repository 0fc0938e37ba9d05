package io.remora.transport;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.nio.AbstractNioChannel;
import io.netty.channel.socket.DuplexChannel;
import io.netty.channel.socket.DuplexChannelConfig;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A connection that is ready to carry a protocol: its channel, and what was agreed on and learnt on the way there. A
 * connection through a handshake that changes what the bytes mean is a subclass that answers for its own queue.
 *
 * <p>Owner: its channel's event loop.
 */
public class Link implements Unsent {
    private final Channel channel;
    private boolean tells;
    /** Set while it counts among its listener's connections. */
    private boolean counts;
    /** Bound of each of its buffers; 0 before one is set. */
    private int bound;
    /** High write mark of the configuration. */
    private int configuredMark;
    /** Set at the first call of {@link #peerAddress()}. */
    private @Nullable String peerAddress;

    private @Nullable InetSocketAddress destination;
    private boolean isDestinationKnown;

    public Link(Channel channel) {
        this.channel = channel;
    }

    public final Channel channel() {
        return channel;
    }

    /**
     * Counts it among its listener's connections from now on.
     *
     * @return whether it was not counted before
     */
    public final boolean enter() {
        boolean first = !counts;
        counts = true;
        return first;
    }

    /** Lets the peer end its side without the end of the connection, from now on. */
    public static void allowHalfClosure(Channel channel) {
        // not by its option, which Unix sockets do not know
        if (channel.config() instanceof DuplexChannelConfig duplex) {
            duplex.setAllowHalfClosure(true);
        }
    }

    /** The scheme of requests that come this way, {@code http} or {@code https}. */
    public String scheme() {
        return "http";
    }

    /** Returns the identity that the peer has proved, null where it has proved none. */
    public @Nullable String peerIdentity() {
        return null;
    }

    /**
     * The peer's certificate as X-Forwarded-Client-Cert tells it, null where it has shown none.
     *
     * @param pem whether it has the certificate itself, where that is not too long
     */
    public @Nullable String forwardedCertificate(boolean pem) {
        return null;
    }

    /** The version of TLS, for example {@code TLSv1.3}; null without TLS. */
    public @Nullable String tlsVersion() {
        return null;
    }

    /** The cipher suite as IANA names it; null without TLS. */
    public @Nullable String tlsCipher() {
        return null;
    }

    /**
     * Returns the protocol that the handshake agreed on, by its ALPN name (RFC 7301); null where none was requested.
     */
    public @Nullable String protocol() {
        return null;
    }

    /**
     * Address of the peer without brackets or port, or what a believed PROXY header has said in its place; empty where it is unknown.
     * Each request asks for it.
     */
    public String peerAddress() {
        String known = peerAddress;
        if (known == null) {
            known = textOfPeer(channel);
            peerAddress = known;
        }
        return known;
    }

    /** The key that separates its peer from others: an identity or address, or this connection where it has neither. */
    public final Object claimant() {
        String identity = peerIdentity();
        if (identity != null) {
            return identity;
        }
        return peerAddress().isEmpty() ? this : peerAddress();
    }

    /**
     * Sets the result of {@link #peerAddress} from now on, as a trusted proxy has named the client of this connection.
     */
    public final void comesFrom(String address) {
        peerAddress = address;
    }

    /**
     * Returns the original destination of a connection that the kernel has redirected; null where it was not, or that
     * is unknown.
     */
    public final @Nullable InetSocketAddress originalDestination() {
        if (!isDestinationKnown) {
            // once, for the kernel may forget it
            isDestinationKnown = true;
            destination = OriginalDestination.of(channel);
        }
        return destination;
    }

    /** The key of a peer that has proved nothing yet: its address, or the channel where it has none. */
    public static Object claimantOf(Channel channel) {
        String address = textOfPeer(channel);
        return address.isEmpty() ? channel : address;
    }

    private static String textOfPeer(Channel channel) {
        SocketAddress address = channel.remoteAddress();
        if (!(address instanceof InetSocketAddress inet) || inet.getAddress() == null) {
            return "";
        }
        String text = inet.getAddress().getHostAddress();
        // a zone means something on this machine only
        int zone = text.indexOf('%');
        return zone < 0 ? text : text.substring(0, zone);
    }

    /**
     * Reads the octets that the kernel holds for this connection now, through the pipeline, as if the loop had come
     * round to it.
     *
     * <p>Bytes or an end that arrived in this turn of the loop have not been read when an idle connection is about to
     * be used again. After this call they have been read, and messages of a handshake among them are understood.
     */
    public final void readNow() {
        readNow(channel);
    }

    /** Does the same for a connection that has no link yet. */
    static void readNow(Channel channel) {
        if (channel.unsafe() instanceof AbstractNioChannel.NioUnsafe nio) {
            nio.read();
        }
    }

    /**
     * Bounds each buffer of this connection to its part of a grant, from now on. Octets that are there by then stay.
     *
     * @param grant the same one again changes nothing
     * @param sent bound of the bytes in the kernel that the peer has not read; 0 leaves it as it is
     * @param queued bound of its write queue and its reads, where the configuration does not keep them below that
     */
    @Override
    public final void bound(int grant, int sent, int queued) {
        if (grant == bound || !channel.isOpen()) {
            return;
        }
        ChannelConfig config = channel.config();
        if (bound == 0) {
            configuredMark = config.getWriteBufferHighWaterMark();
        }
        bound = grant;
        int mark = Math.min(configuredMark, queued);
        if (mark != config.getWriteBufferHighWaterMark()) {
            config.setWriteBufferWaterMark(new WriteBufferWaterMark(mark / 2, mark));
            ReadBuffers.bound(channel, mark);
        }
        if (sent > 0) {
            try {
                config.setOption(ChannelOption.SO_SNDBUF, sent);
            } catch (ChannelException e) {
                // the socket went meanwhile, and its buffer with it
            }
        }
    }

    /**
     * Makes the close drop octets that have not left, in the kernel too, instead of leaving them there until the peer
     * has taken them.
     */
    public final void resetOnClose() {
        abandon();
        resetOnClose(channel);
    }

    /** Does the same for a connection that has no link yet. */
    static void resetOnClose(Channel channel) {
        if (channel.isOpen()) {
            try {
                channel.config().setOption(ChannelOption.SO_LINGER, 0);
            } catch (ChannelException e) {
                // the socket went meanwhile
            }
        }
    }

    /** Closes so that the peer sees a reset; see {@link #resetOnClose}. */
    public final void closeByReset() {
        resetOnClose();
        channel.close();
    }

    /** Returns the number of written bytes that have not left for the kernel yet. */
    @Override
    public long unsent() {
        ChannelOutboundBuffer buffer = channel.unsafe().outboundBuffer();
        return buffer == null ? 0 : buffer.totalPendingWriteBytes();
    }

    /** Tells if bytes that were written have not left for the kernel yet. */
    @Override
    public boolean hasUnsent() {
        ChannelOutboundBuffer buffer = channel.unsafe().outboundBuffer();
        return buffer != null && buffer.totalPendingWriteBytes() > 0;
    }

    @Override
    public final long moved() {
        return -unsent();
    }

    /** A figure that changes whenever bytes leave for the kernel while nothing is written. */
    @Override
    public long sendPosition() {
        ChannelOutboundBuffer buffer = channel.unsafe().outboundBuffer();
        return buffer == null ? 0 : buffer.totalPendingWriteBytes() - buffer.currentProgress();
    }

    public final boolean isOpen() {
        return channel.isOpen();
    }

    public final void close() {
        channel.close();
    }

    /** Has the channel read, or rest. */
    public final void read(boolean reads) {
        if (channel.config().isAutoRead() != reads) {
            channel.config().setAutoRead(reads);
        }
    }

    /** Returns whether the channel is open and reads. */
    public final boolean isReading() {
        return channel.isOpen() && channel.config().isAutoRead();
    }

    /** Closes once everything that was written has left. */
    public final void closeBehindWrites() {
        endOutput();
        channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
    }

    /**
     * Ends this side once everything that was written has left, and closes where the peer has ended its side by then.
     *
     * @param closes whether it does the latter
     */
    public final void shutdownOutputBehindWrites(boolean closes) {
        if (channel instanceof DuplexChannel duplex && !duplex.isOutputShutdown()) {
            endOutput();
            channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(new ChannelFutureListener() {
                @Override
                public void operationComplete(ChannelFuture flushed) {
                    if (closes && isInputEnded(duplex)) {
                        duplex.close();
                    } else {
                        duplex.shutdownOutput();
                    }
                }
            });
        }
    }

    /** Tells if this side has ended. */
    public final boolean isOutputShutdown() {
        return channel instanceof DuplexChannel duplex && duplex.isOutputShutdown();
    }

    /** Tells {@code sender} once, when everything that is written by now has left; asking again meanwhile does nothing. */
    public final void whenSent(Sender sender) {
        if (!tells) {
            tells = true;
            channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(new ChannelFutureListener() {
                @Override
                public void operationComplete(ChannelFuture sent) {
                    // in a turn of its own: the channel counts what it writes as unsent until this returns
                    channel.eventLoop().execute(new Runnable() {
                        @Override
                        public void run() {
                            tells = false;
                            sender.sent();
                        }
                    });
                }
            });
        }
    }

    // ---- for those whose octets mean more than themselves

    /** Ends the output, and announces that to the peer where the protocol can. */
    protected void endOutput() {}

    /** Ends the connection without announcing an end in order, so that the peer sees that something is missing. */
    protected void abandon() {}

    /** Tells if the peer has ended its side. */
    protected boolean isInputEnded(DuplexChannel duplex) {
        return duplex.isInputShutdown();
    }

    /** Caller that waits for its bytes to leave. */
    public interface Sender {
        void sent();
    }
}
