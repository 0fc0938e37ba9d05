package io.remora.seams;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;

/**
 * A connection's frames, one after the other; what is read while one is being worked on waits for its turn.
 *
 * <p>Owner: its channel's event loop.
 */
abstract class FrameHandler extends ChannelInboundHandlerAdapter {
    private final Channel channel;
    private final ByteBuf arrived = Unpooled.buffer();
    private boolean working;

    FrameHandler(Channel channel) {
        this.channel = channel;
    }

    abstract void frame(Frame frame);

    abstract void readComplete();

    abstract void writabilityChanged();

    abstract void closed();

    final Channel channel() {
        return channel;
    }

    /** Not flushed. */
    final void write(Frame frame) {
        channel.write(frame.buffer(), channel.voidPromise());
    }

    @Override
    public void channelRead(ChannelHandlerContext at, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        arrived.writeBytes(bytes);
        bytes.release();
        if (working) {
            return;
        }
        working = true;
        try {
            for (Frame frame = Frame.read(arrived); frame != null; frame = Frame.read(arrived)) {
                frame(frame);
            }
        } finally {
            working = false;
            arrived.discardReadBytes();
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext at) {
        if (!working) {
            readComplete();
            channel.flush();
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext at) {
        writabilityChanged();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext at, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            channel.close();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext at) {
        closed();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext at, Throwable cause) {
        channel.close();
    }
}
