package io.remora.loadtest;

import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Answers a connection's requests, each once it has arrived whole; late ones by a timer, which keeps their order.
 * Owner: the event loop.
 */
final class BackendHandler extends ChannelInboundHandlerAdapter {
    /** By which a client knows whom it has reached. */
    static final String NAME_FIELD = "X-Backend";

    private final BackendAnswers answers;
    private String target = "";
    private @Nullable String size;
    private boolean keepAlive = true;

    BackendHandler(BackendAnswers answers) {
        this.answers = answers;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        try {
            if (message instanceof HttpRequest request) {
                if (request.decoderResult().isFailure()) {
                    context.close();
                    return;
                }
                begin(context, request);
            }
            if (message instanceof LastHttpContent) {
                finish(context);
            }
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        context.flush();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        // A client that cuts its connection is nothing to tell, be it in the handshake.
        if (!(cause instanceof IOException) && !(cause.getCause() instanceof SSLException)) {
            System.err.println("Backend: " + cause);
        }
        context.close();
    }

    private void begin(ChannelHandlerContext context, HttpRequest request) {
        target = request.uri();
        size = request.headers().get(BackendAnswers.SIZE_FIELD);
        keepAlive = HttpUtil.isKeepAlive(request) && request.protocolVersion().equals(HttpVersion.HTTP_1_1);
        if (HttpUtil.is100ContinueExpected(request)) {
            context.writeAndFlush(new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE));
        }
    }

    private void finish(ChannelHandlerContext context) {
        FullHttpResponse response = answers.next(target, size);
        if (answers.identifies()) {
            response.headers().set(NAME_FIELD, name(context));
        }
        boolean last = !keepAlive;
        if (last) {
            response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        }
        if (answers.delayNs() == 0) {
            write(context, response, last);
        } else {
            Runnable later = () -> {
                write(context, response, last);
                context.flush();
            };
            context.executor().schedule(later, answers.delayNs(), TimeUnit.NANOSECONDS);
        }
    }

    private static String name(ChannelHandlerContext context) {
        InetSocketAddress address = (InetSocketAddress) context.channel().localAddress();
        return address.getAddress().getHostAddress() + ":" + address.getPort();
    }

    private static void write(ChannelHandlerContext context, FullHttpResponse response, boolean last) {
        if (last) {
            context.write(response).addListener(ChannelFutureListener.CLOSE);
        } else {
            context.write(response, context.voidPromise());
        }
    }
}
