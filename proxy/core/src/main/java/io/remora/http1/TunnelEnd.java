package io.remora.http1;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.ReferenceCountUtil;
import org.jspecify.annotations.Nullable;

/** One end of a {@link Tunnel}: what its channel reads, the peer writes. Owner: the event loop of both channels. */
final class TunnelEnd extends ChannelInboundHandlerAdapter {
    private final Tunnel tunnel;
    private @Nullable Channel channel;
    private @Nullable Channel peer;
    private boolean inputEnded;

    TunnelEnd(Tunnel tunnel) {
        this.tunnel = tunnel;
    }

    void join(Channel own, Channel other) {
        channel = own;
        peer = other;
    }

    boolean isInputEnded() {
        return inputEnded;
    }

    @Override
    public void channelRead(ChannelHandlerContext at, Object message) {
        Channel to = peer;
        if (to == null || !(message instanceof ByteBuf bytes) || !bytes.isReadable()) {
            // the end of the message that switched, or the other end is not there yet
            ReferenceCountUtil.release(message);
            return;
        }
        tunnel.copied(this, bytes.readableBytes());
        to.write(bytes, to.voidPromise());
        if (!to.isWritable()) {
            to.flush();
            at.channel().config().setAutoRead(to.isWritable());
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext at) {
        if (peer != null) {
            peer.flush();
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext at) {
        if (peer != null) {
            peer.config().setAutoRead(at.channel().isWritable());
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext at, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            inputEnded = true;
            if (peer instanceof SocketChannel to && !to.isOutputShutdown()) {
                // behind what was written before
                to.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(new ChannelFutureListener() {
                    @Override
                    public void operationComplete(ChannelFuture flushed) {
                        to.shutdownOutput();
                        tunnel.inputEnded();
                    }
                });
            }
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext at) {
        tunnel.closed();
        at.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext at, Throwable cause) {
        at.close();
    }

    void closeBehindWrites() {
        if (channel != null && channel.isActive()) {
            channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
        }
    }

    void close() {
        if (channel != null) {
            channel.close();
        }
    }
}
