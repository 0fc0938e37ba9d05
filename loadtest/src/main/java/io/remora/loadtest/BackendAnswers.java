package io.remora.loadtest;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.nio.charset.StandardCharsets;

/** Counts requests, and makes their answers. Owner: the one event loop. */
final class BackendAnswers {
    private final BackendOptions options;
    private final ByteBuf body;
    private long served;
    private double errorsDue;

    BackendAnswers(BackendOptions options) {
        this.options = options;
        this.body = Unpooled.unreleasableBuffer(Unpooled.directBuffer(options.bodyBytes())
                .writeBytes("x".repeat(options.bodyBytes()).getBytes(StandardCharsets.US_ASCII)));
    }

    long delayUs() {
        return options.delayUs();
    }

    FullHttpResponse to(String path) {
        served++;
        if (path.equals("/served")) {
            return response(HttpResponseStatus.OK, Unpooled.copiedBuffer(served + "\n", StandardCharsets.US_ASCII));
        }
        errorsDue += options.errorShare();
        boolean isError = errorsDue >= 1;
        errorsDue -= isError ? 1 : 0;
        return response(isError ? HttpResponseStatus.INTERNAL_SERVER_ERROR : HttpResponseStatus.OK, body.duplicate());
    }

    private static FullHttpResponse response(HttpResponseStatus status, ByteBuf content) {
        FullHttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, content);
        response.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, HttpHeaderValues.TEXT_PLAIN)
                .set(HttpHeaderNames.CONTENT_LENGTH, content.readableBytes());
        return response;
    }
}
