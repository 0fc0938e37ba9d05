package io.remora.admin;

import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.util.ReferenceCountUtil;
import io.remora.log.UtcTime;
import io.remora.transport.InboundHandler;
import io.remora.transport.Link;
import org.jspecify.annotations.Nullable;

/**
 * One connection that carries the dashboard's events and, after the request, nothing else.
 *
 * <p>Owner: the admin thread. Bounds: one event that waits to be read, since a viewer that is behind misses those that follow
 * and then gets all numbers; {@value #SEND_BYTES} bytes in the kernel; one step's time to read an event, and the age of
 * the connection.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A write or close that fails closes the channel, and that is noticed.
final class Viewer extends InboundHandler implements ChannelFutureListener {
    /** The kernel doubles it. */
    private static final int SEND_BYTES = 8 << 10;

    private final Link link;
    private final long stepNs;
    private final long leftNs;
    private final long startNs = System.nanoTime();
    private boolean writing;
    private boolean behind;
    private long writtenNs;
    private @Nullable ChannelHandlerContext context;

    /**
     * @param stepNs that it has to read an event
     * @param leftNs for which the connection may be used
     */
    Viewer(Link link, long stepNs, long leftNs) {
        this.link = link;
        this.stepNs = stepNs;
        this.leftNs = leftNs;
        try {
            link.channel().config().setOption(ChannelOption.SO_SNDBUF, SEND_BYTES);
        } catch (ChannelException e) {
            // the client has gone, which its next event finds out
        }
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
    }

    /** Sends the head of the response with all numbers. */
    void begin(String whole) {
        StringBuilder head = new StringBuilder("HTTP/1.1 200 OK\r\nDate: ");
        UtcTime.appendHttpDate(head, System.currentTimeMillis() / 1_000);
        head.append("""
                \r
                Content-Type: text/event-stream; charset=utf-8\r
                Cache-Control: no-store\r
                X-Content-Type-Options: nosniff\r
                Connection: close\r
                \r
                """);
        write(head.append(whole).toString());
    }

    void close() {
        link.close();
    }

    boolean isOpen() {
        return context != null;
    }

    /** Returns whether it lacks events, so that the next one has all numbers. */
    boolean isBehind() {
        return behind;
    }

    /** Sends an event. If an earlier one waits to be read, the viewer misses this one, and is cut once it has taken too long. */
    void send(String event) {
        long nowNs = System.nanoTime();
        if (writing) {
            behind = true;
            if (nowNs - writtenNs >= stepNs) {
                link.closeByReset();
            }
        } else if (nowNs - startNs >= leftNs) {
            // the last write, which has as much time as an event
            writing = true;
            writtenNs = nowNs;
            link.closeBehindWrites();
        } else {
            behind = false;
            write(event);
        }
    }

    private void write(String text) {
        ChannelHandlerContext ctx = context;
        if (ctx != null) {
            writing = true;
            writtenNs = System.nanoTime();
            ctx.writeAndFlush(ByteBufUtil.writeUtf8(ctx.alloc(), text)).addListener(this);
        }
    }

    @Override
    public void operationComplete(ChannelFuture written) {
        writing = false;
        if (!written.isSuccess()) {
            written.channel().close();
        }
    }

    /** Drops what the client sends after its request. */
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ReferenceCountUtil.release(message);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event == ChannelInputShutdownEvent.INSTANCE) {
            ctx.close();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        context = null;
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        ctx.close();
    }
}
