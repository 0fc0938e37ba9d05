package io.remora.exchange;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.remora.http.BodyLength;
import io.remora.http.Failure;
import io.remora.http.Names;
import io.remora.http.RequestHead;
import io.remora.http.ResponseHead;
import io.remora.transport.Loop;
import org.jspecify.annotations.Nullable;

/** Responses that the sidecar gives itself: the one place where a failure becomes one. */
final class LocalResponse {
    private static final String PLAIN_TEXT = "text/plain; charset=us-ascii";
    private static final String RETRY_AFTER_SECONDS = "1";
    private static final String ALLOW = "Allow";
    private static final String METHODS = "GET, HEAD, POST, PUT, DELETE, PATCH, OPTIONS";

    private static final int OK = 200;
    private static final int METHOD_NOT_ALLOWED = 405;

    private LocalResponse() {}

    /**
     * Writes the response to a failure, whole; not flushed.
     *
     * @param toHead whether the request was a HEAD, whose response has no body
     * @param last whether the connection must end with it
     * @return octets of the body
     */
    static int write(Frontend frontend, Loop loop, Failure failure, boolean toHead, boolean last) {
        HttpHeaders fields = fields(loop);
        fields.add(Names.REMORA_ERROR, failure.label());
        if (failure.retryLater()) {
            fields.add(Names.RETRY_AFTER, RETRY_AFTER_SECONDS);
        }
        fields.add(Names.CONTENT_TYPE, PLAIN_TEXT);
        return write(frontend, failure.status(), fields, failure.text() + "\n", toHead, last);
    }

    /**
     * Answers OPTIONS or TRACE that may travel no further (RFC 9110 7.6.2); not flushed. TRACE is refused: a reflection
     * could show what the client must not see.
     *
     * @return the status
     */
    static int writeAnswer(Frontend frontend, Loop loop, RequestHead request, boolean last) {
        int status = HttpMethod.TRACE.equals(request.method) ? METHOD_NOT_ALLOWED : OK;
        HttpHeaders fields = fields(loop);
        fields.add(ALLOW, METHODS);
        write(frontend, status, fields, null, false, last);
        return status;
    }

    private static HttpHeaders fields(Loop loop) {
        HttpHeaders fields = DefaultHttpHeadersFactory.headersFactory().newHeaders();
        fields.add(Names.DATE, loop.date().now());
        return fields;
    }

    private static int write(
            Frontend frontend, int status, HttpHeaders fields, @Nullable String text, boolean toHead, boolean last) {
        int length = text == null ? 0 : text.length();
        fields.add(Names.CONTENT_LENGTH, Integer.toString(length));
        boolean withBody = length > 0 && !toHead;
        frontend.respond(
                new ResponseHead(HttpResponseStatus.valueOf(status), fields, withBody ? length : BodyLength.NONE),
                last);
        if (text != null && withBody) {
            ByteBuf body = ByteBufUtil.writeAscii(UnpooledByteBufAllocator.DEFAULT, text);
            frontend.respondContent(body);
        }
        frontend.respondEnd(null);
        return withBody ? length : 0;
    }
}
