package io.remora.admin;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.remora.transport.InboundHandler;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.concurrent.TimeUnit;

/**
 * Sets up the connections that the admin or health listener accepts.
 *
 * <p>Owner: the admin thread. Bounds: {@value #MAX_CONNECTIONS} connections; a further one closes the oldest, so that
 * nobody can lock out a probe by holding connections open.
 */
@SuppressWarnings("FutureReturnValueIgnored") // The result of closing does not matter.
final class AdminConnections extends InboundHandler implements ChannelFutureListener {
    private static final int MAX_CONNECTIONS = 32;
    /** After a failure to accept: without a descriptor the listener's socket stays readable. */
    private static final long PAUSE_MS = 200;

    private final EventLoopGroup group;
    private final Pages pages;
    private final long stepNs;
    private final ArrayDeque<SocketChannel> open = new ArrayDeque<>(MAX_CONNECTIONS + 1);

    AdminConnections(EventLoopGroup group, Pages pages, long stepNs) {
        this.group = group;
        this.pages = pages;
        this.stepNs = stepNs;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        SocketChannel accepted = (SocketChannel) message;
        try {
            accepted.config().setAllocator(UnpooledByteBufAllocator.DEFAULT);
            accepted.config().setTcpNoDelay(true).setAllowHalfClosure(true);
        } catch (ChannelException e) {
            // the client has gone, and its socket takes no setting any more
            accepted.unsafe().closeForcibly();
            return;
        }
        makeRoom();
        open.add(accepted);
        accepted.pipeline().addLast(new AdminConnection(pages, stepNs));
        group.register(accepted).addListener(this);
    }

    @Override
    public void operationComplete(ChannelFuture registered) {
        if (!registered.isSuccess()) {
            registered.channel().unsafe().closeForcibly();
        }
    }

    private void makeRoom() {
        for (Iterator<SocketChannel> all = open.iterator(); open.size() >= MAX_CONNECTIONS && all.hasNext(); ) {
            if (!all.next().isOpen()) {
                all.remove();
            }
        }
        if (open.size() >= MAX_CONNECTIONS) {
            open.remove().close();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.channel().config().setAutoRead(false);
        context.executor()
                .schedule(
                        new Runnable() {
                            @Override
                            public void run() {
                                context.channel().config().setAutoRead(true);
                            }
                        },
                        PAUSE_MS,
                        TimeUnit.MILLISECONDS);
    }
}
