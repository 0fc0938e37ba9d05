package io.remora.admin;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.ScheduledFuture;
import io.remora.log.UtcTime;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One connection to the admin or health listener: one request at a time, answered immediately.
 *
 * <p>Owner: the admin thread. Bounds: {@value #MAX_BODY_BYTES} bytes of body; one response waiting to be read, because
 * the connection of a client that sends another request before that is closed after the response; one step's time each
 * to send the first request, to read a response and to end the connection, and {@value #IDLE_STEPS} times that between
 * requests.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A write or close that fails closes the channel, and that is noticed.
final class AdminConnection extends ChannelInboundHandlerAdapter implements ChannelFutureListener, Runnable {
    private static final int MAX_BODY_BYTES = 1_024;
    /** The idle time between requests in steps: longer than most scrape intervals. */
    private static final int IDLE_STEPS = 9;

    private final Pages pages;
    private final long stepNs;
    private final StringBuilder body = new StringBuilder(0);
    private @Nullable HttpRequest request;
    private boolean answering;
    private boolean ending;
    private boolean inputEnded;
    private long deadlineNs;
    private @Nullable ChannelHandlerContext context;
    private @Nullable ScheduledFuture<?> timer;

    AdminConnection(Pages pages, long stepNs) {
        this.pages = pages;
        this.stepNs = stepNs;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        context = ctx;
        allow(stepNs);
        timer = ctx.executor().schedule(this, stepNs, TimeUnit.NANOSECONDS);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
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
            if (ending) {
                return;
            }
            if (answering) {
                ending = true;
            } else {
                read(ctx, (HttpObject) message);
            }
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    private void read(ChannelHandlerContext ctx, HttpObject message) {
        if (message.decoderResult().isFailure()) {
            refuse(ctx, malformed(message.decoderResult().cause()));
            return;
        }
        if (message instanceof HttpRequest head) {
            request = head;
            body.setLength(0);
            if (HttpUtil.is100ContinueExpected(head)) {
                ctx.writeAndFlush(new DefaultFullHttpResponse(
                        HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE, Unpooled.EMPTY_BUFFER));
            }
        }
        if (message instanceof HttpContent part) {
            ByteBuf content = part.content();
            if (body.length() + content.readableBytes() > MAX_BODY_BYTES) {
                refuse(ctx, Reply.text(413, "the body is too large\n"));
                return;
            }
            body.append(content.toString(StandardCharsets.ISO_8859_1));
        }
        HttpRequest whole = request;
        if (message instanceof LastHttpContent && whole != null) {
            request = null;
            answer(
                    ctx,
                    pages.answer(whole, body.toString()),
                    HttpUtil.isKeepAlive(whole),
                    whole.method().name());
        }
    }

    private static Reply malformed(Throwable cause) {
        if (cause instanceof TooLongHttpLineException) {
            return Reply.text(414, "the request line is too long\n");
        }
        return cause instanceof TooLongHttpHeaderException
                ? Reply.text(431, "the header section is too large\n")
                : Reply.text(400, "this is not HTTP/1.1\n");
    }

    private void refuse(ChannelHandlerContext ctx, Reply reply) {
        request = null;
        answer(ctx, reply, false, "GET");
    }

    private void answer(ChannelHandlerContext ctx, Reply reply, boolean keepAlive, String method) {
        answering = true;
        ending = !keepAlive;
        allow(stepNs);
        ctx.writeAndFlush(response(reply, keepAlive, method.equals("HEAD"))).addListener(this);
    }

    private static FullHttpResponse response(Reply reply, boolean keepAlive, boolean head) {
        byte[] body = reply.body() == null ? null : reply.body().getBytes(StandardCharsets.UTF_8);
        FullHttpResponse response = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1,
                HttpResponseStatus.valueOf(reply.status()),
                head || body == null ? Unpooled.EMPTY_BUFFER : Unpooled.wrappedBuffer(body));
        HttpHeaders headers = response.headers();
        StringBuilder date = new StringBuilder(29);
        UtcTime.appendHttpDate(date, System.currentTimeMillis() / 1_000);
        headers.set(HttpHeaderNames.DATE, date.toString());
        headers.set(HttpHeaderNames.CONTENT_TYPE, reply.contentType());
        if (body != null) {
            headers.set(HttpHeaderNames.CONTENT_LENGTH, Integer.toString(body.length));
        }
        headers.set(HttpHeaderNames.CACHE_CONTROL, "no-store");
        headers.set("x-content-type-options", "nosniff");
        if (reply.allow() != null) {
            headers.set(HttpHeaderNames.ALLOW, reply.allow());
        }
        if (!keepAlive) {
            headers.set(HttpHeaderNames.CONNECTION, "close");
        }
        return response;
    }

    /** Called when the response has been passed to the kernel, or when the connection is gone. */
    @Override
    public void operationComplete(ChannelFuture written) {
        answering = false;
        if (!written.isSuccess() || inputEnded) {
            written.channel().close();
        } else if (ending) {
            // What the client still sends is read and dropped: closing with unread input would reset the connection,
            // and
            // the client could lose the response.
            allow(stepNs);
            ((DuplexChannel) written.channel()).shutdownOutput();
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
