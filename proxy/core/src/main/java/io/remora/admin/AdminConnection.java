package io.remora.admin;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.ScheduledFuture;
import io.remora.http.Failure;
import io.remora.http1.WholeRequests;
import io.remora.transport.InboundHandler;
import io.remora.transport.Link;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One connection to the admin or health listener: one request at a time, answered immediately.
 *
 * <p>Owner: the admin thread. Bounds: request line 4 KiB, header section 8 KiB, body 1 KiB; one response waiting to be
 * read, because the connection of a client that sends another request before that is closed after the response; one step's
 * time each to send the first request, to read a response and to end the connection, and {@value #IDLE_STEPS} times that
 * between requests; where its client was verified, an age at which its next response is the last.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A write or close that fails closes the channel, and that is noticed.
final class AdminConnection extends InboundHandler implements ChannelFutureListener, Runnable {
    private static final int MAX_LINE_BYTES = 4_096;
    private static final int MAX_HEADER_BYTES = 8_192;
    private static final int MAX_FIELDS = 100;
    private static final int MAX_BODY_BYTES = 1_024;
    /** The idle time between requests in steps: longer than most scrape intervals. */
    private static final int IDLE_STEPS = 9;

    private final Link link;
    private final Pages pages;
    private final long stepNs;
    private final long maxAgeNs;
    private final long startNs = System.nanoTime();
    private final WholeRequests requests =
            new WholeRequests(MAX_LINE_BYTES, MAX_HEADER_BYTES, MAX_FIELDS, MAX_BODY_BYTES);
    private boolean answering;
    private boolean ending;
    private boolean inputEnded;
    private long deadlineNs;
    private @Nullable ChannelHandlerContext context;
    private @Nullable ScheduledFuture<?> timer;

    /**
     * @param link ready for requests
     * @param maxAgeNs from now on; {@link io.remora.config.model.Limits#UNLIMITED} for no bound
     */
    AdminConnection(Link link, Pages pages, long stepNs, long maxAgeNs) {
        this.link = link;
        this.pages = pages;
        this.stepNs = stepNs;
        this.maxAgeNs = maxAgeNs;
    }

    /**
     * Starts the timer of the first step. Called on the admin thread with the channel open, at its registration or at
     * the end of its handshake.
     */
    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
        allow(stepNs);
        timer = ctx.executor().schedule(this, stepNs, TimeUnit.NANOSECONDS);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        leave();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        leave();
    }

    private void leave() {
        context = null;
        if (timer != null) {
            timer.cancel(false);
        }
    }

    private void allow(long durationNs) {
        deadlineNs = System.nanoTime() + durationNs;
    }

    /** Runs when the timer expires: closes the connection if the current step has taken too long. */
    @Override
    public void run() {
        ChannelHandlerContext ctx = context;
        if (ctx == null) {
            return;
        }
        long leftNs = deadlineNs - System.nanoTime();
        if (leftNs <= 0) {
            ctx.close();
        } else {
            timer = ctx.executor().schedule(this, leftNs, TimeUnit.NANOSECONDS);
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        try {
            ByteBuf in = (ByteBuf) message;
            while (!ending && in.isReadable()) {
                if (answering) {
                    ending = true;
                } else {
                    read(ctx, in);
                }
            }
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    private void read(ChannelHandlerContext ctx, ByteBuf in) {
        if (!requests.read(in)) {
            if (requests.expectsContinue()) {
                ctx.writeAndFlush(ByteBufUtil.writeAscii(ctx.alloc(), "HTTP/1.1 100 Continue\r\n\r\n"));
            }
            return;
        }
        Failure failure = requests.failure();
        if (failure != null) {
            answer(ctx, Reply.text(failure.status(), failure.text() + '\n'), false, "GET");
            return;
        }
        long leftNs = maxAgeNs - (System.nanoTime() - startNs);
        if (pages.takeOver(requests, link, leftNs)) {
            ending = true;
            ctx.pipeline().remove(this);
            return;
        }
        boolean keepAlive = requests.isPersistent() && leftNs > 0;
        if (pages.takesTime(requests)) {
            answerLater(ctx, keepAlive);
            requests.next();
            return;
        }
        Reply reply = pages.answer(requests);
        String method = requests.method();
        requests.next();
        answer(ctx, reply, keepAlive, method);
    }

    private void answerLater(ChannelHandlerContext ctx, boolean keepAlive) {
        answering = true;
        ending = !keepAlive;
        allow(IDLE_STEPS * stepNs);
        LaterAnswer.begin(pages, requests, this, ctx);
    }

    /** The answer that takes a while is there. */
    void answered(ChannelHandlerContext ctx, Reply reply) {
        if (context != null) {
            // a further request that came meanwhile ends the connection
            answer(ctx, reply, !ending, "POST");
        }
    }

    /** Returns the time that the client has for each step. */
    long stepNs() {
        return stepNs;
    }

    /** The answer is under way, for a further step at least, and the connection ends with it. */
    void streams() {
        ending = true;
        allow(stepNs);
    }

    private void answer(ChannelHandlerContext ctx, Reply reply, boolean keepAlive, String method) {
        answering = true;
        allow(stepNs);
        PageWriter writer = new PageWriter(this, ctx, reply, requests.isHttp11());
        ending = !keepAlive || !writer.keepsConnection();
        writer.begin(!ending, method.equals("HEAD"));
    }

    /** A piece of the response has left, and the reader has as long for the next one. */
    void allowNextPiece() {
        allow(stepNs);
    }

    /** Called when the response has been passed to the kernel, or when the connection is gone. */
    @Override
    public void operationComplete(ChannelFuture written) {
        answering = false;
        if (!written.isSuccess()) {
            written.channel().close();
        } else if (inputEnded) {
            link.closeBehindWrites();
        } else if (ending) {
            // What the client still sends is read and dropped: closing with unread input would reset the connection,
            // and the client could lose the response.
            allow(stepNs);
            link.shutdownOutputBehindWrites(true);
        } else {
            allow(IDLE_STEPS * stepNs);
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event == ChannelInputShutdownEvent.INSTANCE) {
            inputEnded = true;
            if (!answering) {
                ctx.close();
            }
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        ctx.close();
    }
}
