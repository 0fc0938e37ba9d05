package io.remora.transport;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.SocketChannel;
import io.remora.config.model.ListenerConfig;

/**
 * Gives accepted channels their settings and one of the event loops, and hands them to the acceptor there.
 *
 * <p>Owner: the listener's loop; {@link #settle} comes from any thread.
 */
final class Accepting extends InboundHandler implements ChannelFutureListener {
    private volatile int bufferBytes;
    /** Set if the kernel asks silent clients whether they are still there. */
    private volatile boolean keepAlive;

    private final AcceptBatch batch;
    /** Hands over a channel that has waited in a long backlog. */
    private final ChannelFutureListener afterWait = new ChannelFutureListener() {
        @Override
        public void operationComplete(ChannelFuture registered) {
            handOver(registered, true);
        }
    };

    private final Loops loops;
    private final ByteBufAllocator allocator;
    private volatile Acceptor acceptor;

    Accepting(AcceptBatch batch, ListenerConfig config, Loops loops, ByteBufAllocator allocator, Acceptor acceptor) {
        this.batch = batch;
        this.bufferBytes = config.limits().bufferBytes();
        this.keepAlive = config.timeouts().tcpKeepAlive();
        this.loops = loops;
        this.allocator = allocator;
        this.acceptor = acceptor;
    }

    /** Returns the batches in which its listener accepts. */
    AcceptBatch batch() {
        return batch;
    }

    /** Applies another configuration to connections that are accepted from now on. */
    void settle(ListenerConfig config, Acceptor next) {
        bufferBytes = config.limits().bufferBytes();
        keepAlive = config.timeouts().tcpKeepAlive();
        acceptor = next;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        Channel accepted = (Channel) message;
        try {
            settle(accepted);
        } catch (ChannelException e) {
            // the client has gone, and its socket takes no setting any more
            accepted.unsafe().closeForcibly();
            return;
        }
        // added before: the channel may read as soon as it is registered
        loops.group().register(accepted.newPromise().addListener(batch.isBehind() ? afterWait : this));
    }

    private void settle(Channel accepted) {
        accepted.config()
                .setAllocator(allocator)
                .setWriteBufferWaterMark(new WriteBufferWaterMark(bufferBytes / 2, bufferBytes));
        if (accepted instanceof SocketChannel tcp) {
            tcp.config().setTcpNoDelay(true).setAllowHalfClosure(true);
            tcp.config().setRecvByteBufAllocator(new ReadBuffers(bufferBytes));
            if (keepAlive) {
                tcp.config().setKeepAlive(true);
            }
        } else {
            accepted.config().setRecvByteBufAllocator(new ReadBuffers(bufferBytes, DomainSockets.atEnd(accepted)));
            Link.allowHalfClosure(accepted);
        }
    }

    /** Hands over a channel that is registered, on its own event loop, before its first read. */
    @Override
    public void operationComplete(ChannelFuture registered) {
        handOver(registered, false);
    }

    private void handOver(ChannelFuture registered, boolean late) {
        Channel channel = registered.channel();
        if (!registered.isSuccess()) {
            channel.unsafe().closeForcibly();
            return;
        }
        try {
            acceptor.accept(channel, late);
        } catch (RuntimeException | Error e) {
            channel.close();
            throw e;
        }
    }
}
