package io.remora.loadtest;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.DefaultHttp2WindowUpdateFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2FrameStream;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2ResetFrame;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Answers the streams of a connection, each once its request has arrived whole, and calls of gRPC with a message and a status of its own.
 * Owner: the event loop.
 */
final class Http2BackendHandler extends ChannelInboundHandlerAdapter {
    private static final String GRPC = "application/grpc";
    private static final String INTERNAL = "13";

    private final Map<Http2FrameStream, Http2Headers> asked = new HashMap<>();
    private final BackendAnswers answers;

    Http2BackendHandler(BackendAnswers answers) {
        this.answers = answers;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        try {
            if (message instanceof Http2HeadersFrame head) {
                asked.putIfAbsent(head.stream(), head.headers());
                if (head.isEndStream()) {
                    finish(context, head.stream());
                }
            } else if (message instanceof Http2DataFrame data) {
                context.write(
                        new DefaultHttp2WindowUpdateFrame(data.initialFlowControlledBytes()).stream(data.stream()));
                if (data.isEndStream()) {
                    finish(context, data.stream());
                }
            } else if (message instanceof Http2ResetFrame reset) {
                asked.remove(reset.stream());
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
        // A client that cuts its connection is nothing to tell.
        if (!(cause instanceof IOException)) {
            System.err.println("Backend: " + cause);
        }
        context.close();
    }

    private void finish(ChannelHandlerContext context, Http2FrameStream stream) {
        Http2Headers fields = asked.remove(stream);
        if (fields == null) {
            return;
        }
        CharSequence type = fields.get("content-type");
        boolean grpc = type != null && type.toString().startsWith(GRPC);
        FullHttpResponse answer = answers.next(fields.path().toString(), fields.get(BackendAnswers.SIZE_FIELD));
        if (answers.delayNs() == 0) {
            write(context, stream, answer, grpc);
            return;
        }
        Runnable later = () -> {
            write(context, stream, answer, grpc);
            context.flush();
        };
        context.executor().schedule(later, answers.delayNs(), TimeUnit.NANOSECONDS);
    }

    private static void write(
            ChannelHandlerContext context, Http2FrameStream stream, FullHttpResponse answer, boolean grpc) {
        boolean good = answer.status().equals(HttpResponseStatus.OK);
        Http2Headers head =
                new DefaultHttp2Headers().status((grpc ? HttpResponseStatus.OK : answer.status()).codeAsText());
        head.set("content-type", grpc ? GRPC : "text/plain");
        if (grpc && !good) {
            answer.release();
            context.write(new DefaultHttp2HeadersFrame(head.set("grpc-status", INTERNAL), true).stream(stream));
            return;
        }
        ByteBuf content = answer.content();
        if (!grpc) {
            head.setInt("content-length", content.readableBytes());
        }
        context.write(new DefaultHttp2HeadersFrame(head, false).stream(stream));
        context.write(new DefaultHttp2DataFrame(grpc ? message(content) : content, !grpc).stream(stream));
        if (grpc) {
            Http2Headers trailers = new DefaultHttp2Headers().set("grpc-status", "0");
            context.write(new DefaultHttp2HeadersFrame(trailers, true).stream(stream));
        }
    }

    private static ByteBuf message(ByteBuf content) {
        ByteBuf prefix = Unpooled.buffer(Http2Request.GRPC_PREFIX).writeByte(0).writeInt(content.readableBytes());
        return Unpooled.wrappedBuffer(prefix, content);
    }
}
