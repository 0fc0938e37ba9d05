package io.remora.loadtest;

import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.concurrent.TimeUnit;

/** Answers each request of a connection once it has ended. Requests that are sent ahead of an answer are answered in their order. */
final class BackendHandler extends SimpleChannelInboundHandler<HttpObject> {
    private final BackendAnswers answers;
    private String path = "";
    private boolean keepAlive;

    BackendHandler(BackendAnswers answers) {
        this.answers = answers;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, HttpObject message) {
        if (message instanceof HttpRequest request) {
            path = request.uri();
            keepAlive = HttpUtil.isKeepAlive(request);
        }
        if (message instanceof LastHttpContent) {
            FullHttpResponse response = answers.to(path);
            boolean stays = keepAlive;
            if (answers.delayUs() == 0) {
                write(context, response, stays);
            } else {
                context.executor()
                        .schedule(() -> write(context, response, stays), answers.delayUs(), TimeUnit.MICROSECONDS);
            }
        }
    }

    private static void write(ChannelHandlerContext context, FullHttpResponse response, boolean stays) {
        if (stays) {
            context.writeAndFlush(response);
        } else {
            response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
            context.writeAndFlush(response).addListener(ChannelFutureListener.CLOSE);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.close();
    }
}
