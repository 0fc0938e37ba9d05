package io.remora.exchange;

import io.netty.buffer.ByteBuf;
import io.remora.http.RequestHead;
import io.remora.http.ResponseHead;
import org.jspecify.annotations.Nullable;

/**
 * A stage's state for one exchange: sees the content in both directions, the attempts and the end. Each method passes
 * everything on unless it is overridden.
 *
 * <p>Order: filters see a request in the order in which they joined, and its response in the opposite one.
 *
 * <p>Owner: one exchange. A filter releases content that comes in, or hands it on. A filter that changes the length of
 * content calls {@link RequestHead#forgetLength} or {@link ResponseHead#forgetLength} in time. Back-pressure is the
 * exchange's: a filter that keeps content holds no more than it has received since it last handed some on.
 */
public abstract class Filter {
    /** The next filter of the same exchange. */
    @Nullable
    Filter next;

    /** The filter before it. */
    @Nullable
    Filter previous;

    /** Content of the request; the result goes on, null for nothing. */
    public @Nullable ByteBuf requestContent(ByteBuf content) {
        return content;
    }

    /**
     * The request's content is over; the result goes on ahead of the end, null for nothing. Not called for a request
     * without a body.
     */
    public @Nullable ByteBuf requestEnd() {
        return null;
    }

    /** An attempt begins; the head may still be changed. */
    public void attempt(RequestHead head, AttemptView attempt) {}

    /** An endpoint has been picked for an attempt. */
    public void picked(AttemptView attempt) {}

    /**
     * An attempt has a stream, and its head is written next. This is the last chance to change the head for this
     * attempt alone.
     */
    public void sends(RequestHead head, AttemptView attempt) {}

    /** The head of an attempt's final response has come. */
    public void answered(AttemptView attempt) {}

    /** The final response's head, the sidecar's own responses' too. */
    public void responseHead(ResponseHead head) {}

    /** Content of the response; the result goes on, null for nothing. */
    public @Nullable ByteBuf responseContent(ByteBuf content) {
        return content;
    }

    /**
     * The response's content is over; the result goes on ahead of the end, null for nothing. Not called for a response
     * without a body.
     */
    public @Nullable ByteBuf responseEnd() {
        return null;
    }

    /** An attempt has ended; its outcome stands. */
    public void attemptEnded(AttemptView attempt) {}

    /** The exchange has ended, in any way. Releases all that the filter keeps. */
    public void ended(RequestView exchange) {}
}
