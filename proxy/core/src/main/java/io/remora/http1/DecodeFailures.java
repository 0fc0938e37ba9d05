package io.remora.http1;

import io.netty.handler.codec.PrematureChannelClosureException;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.remora.http.Failure;

/** What a decoder's exception means. */
final class DecodeFailures {
    private DecodeFailures() {}

    static Failure ofRequestHead(Throwable cause) {
        if (cause instanceof TooLongHttpLineException) {
            return Failure.TARGET_TOO_LONG;
        }
        return cause instanceof TooLongHttpHeaderException ? Failure.HEADERS_TOO_LARGE : Failure.BAD_REQUEST;
    }

    static Failure ofResponse(Throwable cause) {
        return cause instanceof PrematureChannelClosureException ? Failure.BACKEND_CLOSED : Failure.BAD_RESPONSE;
    }
}
