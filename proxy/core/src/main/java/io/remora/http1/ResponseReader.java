package io.remora.http1;

import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpVersion;
import io.remora.http.BodyLength;
import io.remora.http.Failure;
import io.remora.http.Names;
import io.remora.http.Persistence;
import io.remora.http.ResponseHead;
import io.remora.http.ResponseRules;
import org.jspecify.annotations.Nullable;

/** Reads the version-neutral head out of a decoded HTTP/1 response, and judges it. Pure. */
final class ResponseReader {
    private ResponseReader() {}

    /**
     * @param switching whether the request asked for a protocol that a 101 may grant
     * @return what is wrong, null for nothing
     */
    static @Nullable Failure judge(HttpResponse response, boolean switching) {
        if (response.decoderResult().isFailure()) {
            return DecodeFailures.ofResponse(response.decoderResult().cause());
        }
        HttpVersion version = response.protocolVersion();
        if (!HttpVersion.HTTP_1_1.equals(version) && !HttpVersion.HTTP_1_0.equals(version)) {
            return Failure.BAD_RESPONSE;
        }
        return ResponseRules.judge(response.status().code(), response.headers(), switching);
    }

    /** The head of a response that has been judged. */
    static ResponseHead read(HttpResponse response, boolean toHead) {
        HttpHeaders fields = response.headers();
        ResponseRules.normalizeLength(fields);
        long length = ResponseRules.bodyLength(response.status().code(), fields, toHead);
        return new ResponseHead(response.status(), fields, length);
    }

    /** Whether only the connection's close ends the body. */
    static boolean isCloseDelimited(ResponseHead head) {
        return head.bodyLength == BodyLength.UNKNOWN && !head.fields.contains(Names.TRANSFER_ENCODING);
    }

    /** HTTP/1.0 backends are not kept: what their connections allow is not worth a second rule. */
    static boolean isKeptAlive(HttpResponse response) {
        return HttpVersion.HTTP_1_1.equals(response.protocolVersion()) && !Persistence.asksToClose(response.headers());
    }
}
