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
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** What the fake application answers, and the count of it. Owner: the one event loop. */
final class BackendAnswers {
    /** A request that has it asks for an answer of so many bytes. */
    static final String SIZE_FIELD = "x-answer-bytes";

    private static final int WHOLE = 1_000_000;
    private static final int PIECE = 65_536;
    private static final ByteBuf LARGE =
            Unpooled.unreleasableBuffer(Unpooled.directBuffer(PIECE).writeZero(PIECE));

    private final ByteBuf body;
    private final boolean identifies;
    private long delayNs;
    private int errorMillionths;
    private long served;
    private long errorRemainder;

    BackendAnswers(BackendOptions options) {
        byte[] bytes = new byte[options.bodyBytes()];
        Arrays.fill(bytes, (byte) 'x');
        // Direct once for all, as the socket would copy it for each answer; each answer's release is none.
        body = Unpooled.unreleasableBuffer(
                Unpooled.directBuffer(Math.max(1, bytes.length)).writeBytes(bytes));
        delayNs = options.delayNs();
        errorMillionths = options.errorMillionths();
        identifies = options.identifies();
    }

    boolean identifies() {
        return identifies;
    }

    long delayNs() {
        return delayNs;
    }

    void delay(long newDelayNs) {
        delayNs = newDelayNs;
    }

    void errors(int newMillionths) {
        errorMillionths = newMillionths;
        errorRemainder = 0;
    }

    /** @param size the value of {@link #SIZE_FIELD}, or null */
    FullHttpResponse next(String target, @Nullable CharSequence size) {
        served++;
        if (target.equals("/served")) {
            String count = Long.toString(served);
            return answer(HttpResponseStatus.OK, Unpooled.copiedBuffer(count, StandardCharsets.US_ASCII));
        }
        errorRemainder += errorMillionths;
        boolean error = errorRemainder >= WHOLE;
        errorRemainder -= error ? WHOLE : 0;
        return answer(
                error ? HttpResponseStatus.INTERNAL_SERVER_ERROR : HttpResponseStatus.OK,
                size == null ? body.duplicate() : sized(size));
    }

    private static ByteBuf sized(CharSequence size) {
        int bytes = Integer.parseUnsignedInt(size, 0, size.length(), 10);
        if (bytes <= PIECE) {
            return LARGE.duplicate().writerIndex(bytes);
        }
        ByteBuf[] pieces = new ByteBuf[(bytes + PIECE - 1) / PIECE];
        Arrays.setAll(pieces, i -> LARGE.duplicate().writerIndex(Math.min(PIECE, bytes - i * PIECE)));
        return Unpooled.wrappedBuffer(pieces.length, pieces);
    }

    private static FullHttpResponse answer(HttpResponseStatus status, ByteBuf content) {
        FullHttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, content);
        response.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, HttpHeaderValues.TEXT_PLAIN)
                .setInt(HttpHeaderNames.CONTENT_LENGTH, content.readableBytes());
        return response;
    }
}
