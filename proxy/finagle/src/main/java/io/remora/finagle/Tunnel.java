package io.remora.finagle;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.util.ReferenceCountUtil;
import io.remora.stream.StreamClient;
import io.remora.transport.Link;
import org.jspecify.annotations.Nullable;

/**
 * A connection after a switch of protocols: octets both ways, past the codec and Finagle's transport. The 101 goes up
 * Finagle's stack as a streaming response whose body is never read. The pool counts the connection as in use until it
 * closes, and accrual sees a success.
 *
 * <p>Owner: the event loop. Order: before the codec, so that nothing but the end reaches it. Bounds: those of the
 * connection's buffers.
 */
final class Tunnel extends ChannelInboundHandlerAdapter {
    private final Link link;
    private final FinagleStream stream;
    private @Nullable ChannelHandlerContext context;

    Tunnel(Link link, FinagleStream stream) {
        this.link = link;
        this.stream = stream;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        context = added;
        added.channel().config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
        readOn(true);
    }

    // ---- to the endpoint

    void readOn(boolean wanted) {
        if (link.channel().config().isAutoRead() != wanted) {
            link.channel().config().setAutoRead(wanted);
        }
    }

    boolean isWritable() {
        return link.channel().isWritable();
    }

    /** Takes over {@code octets}; not flushed. */
    void write(ByteBuf octets) {
        ChannelHandlerContext at = context;
        if (at == null) {
            octets.release();
        } else {
            at.write(octets, link.channel().voidPromise());
        }
    }

    void flush() {
        if (context != null) {
            context.flush();
        }
    }

    /** The client has ended its side. */
    void endOutput() {
        link.shutdownOutputBehindWrites(false);
    }

    /** Closes once the last write has left. */
    void close() {
        readOn(true);
        link.closeBehindWrites();
    }

    // ---- from the endpoint

    /** Takes over {@code octets}. */
    void content(ByteBuf octets) {
        StreamClient told = stream.client();
        if (told == null) {
            octets.release();
        } else {
            told.content(octets);
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext at, Object message) {
        if (message instanceof ByteBuf octets) {
            content(octets);
        } else {
            ReferenceCountUtil.release(message);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext at) {
        StreamClient told = stream.client();
        if (told != null) {
            told.readComplete();
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext at) {
        StreamClient told = stream.client();
        if (told != null) {
            told.writable(isWritable());
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext at, Object event) {
        StreamClient told = stream.client();
        if (event instanceof ChannelInputShutdownEvent && told != null) {
            told.end(null);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext at) {
        stream.tunnelClosed();
        at.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext at, Throwable cause) {
        at.close();
    }
}
