package io.remora.exchange;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.remora.http.BodyLength;
import io.remora.http.Failure;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.ResponseHead;
import io.remora.transport.Loop;
import org.jspecify.annotations.Nullable;

/** The sidecar's own responses: the one place where a failure becomes one. */
final class LocalResponse {
    /** The rule that has been broken, on listeners that say it. */
    static final FieldName REASON = FieldName.of("Remora-Reason");

    private static final String PLAIN_TEXT = "text/plain; charset=us-ascii";
    private static final String RETRY_AFTER_SECONDS = "1";

    private static final int NO_CONTENT = 204;
    private static final int NOT_MODIFIED = 304;

    private LocalResponse() {}

    static ResponseHead ofFailure(Failure failure, Loop loop) {
        Fields fields = new Fields();
        ResponseHead head = of(failure.status(), fields, loop);
        fields.add(FieldName.REMORA_ERROR, failure.label());
        if (failure.retryLater()) {
            fields.add(FieldName.RETRY_AFTER, RETRY_AFTER_SECONDS);
        }
        fields.add(FieldName.CONTENT_TYPE, PLAIN_TEXT);
        return head;
    }

    static ResponseHead of(int status, Fields fields, Loop loop) {
        fields.add(FieldName.DATE, loop.date().now());
        return new ResponseHead(status, null, fields, BodyLength.NONE);
    }

    /**
     * Gives a response's head the length of its body.
     *
     * @param text of US-ASCII characters, null for none
     * @param toHead whether the request was a HEAD, whose response has a length and no body
     * @return whether the body follows
     */
    static boolean announceBody(ResponseHead head, @Nullable String text, boolean toHead) {
        int length = text == null ? 0 : text.length();
        if (head.status == NO_CONTENT || head.status == NOT_MODIFIED) {
            // RFC 9110 8.6: 204 has no length, and that of a 304 would be another response's
            return false;
        }
        head.fields.add(FieldName.CONTENT_LENGTH, Integer.toString(length));
        if (text == null || length == 0 || toHead) {
            return false;
        }
        head.bodyLength(length);
        return true;
    }

    static ByteBuf body(String text) {
        return ByteBufUtil.writeAscii(UnpooledByteBufAllocator.DEFAULT, text);
    }
}
