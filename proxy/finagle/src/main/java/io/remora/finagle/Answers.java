package io.remora.finagle;

import com.twitter.finagle.http.Response;
import io.remora.http.BodyLength;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.ResponseHead;

/**
 * Makes heads of the responses of Finagle's stack and users' filters. The framing is always the sidecar's: lengths are
 * those of the actual content, not those that the fields state.
 */
final class Answers {
    private static final int LARGEST_STATUS = 999;

    private Answers() {}

    /**
     * @param toHead whether the client's request was HEAD
     * @throws IllegalArgumentException for a response that no client may get
     */
    static ResponseHead headOf(Response value, boolean toHead) {
        if (!(value instanceof EndpointResponse own)) {
            return ofFilter(value, HeaderView.of(value.headerMap()), toHead);
        }
        if (!own.use()) {
            throw new IllegalArgumentException("a response that was given before");
        }
        Fields fields = own.fields();
        if (own.isReplaced()) {
            return ofFilter(own, fields, toHead);
        }
        return own.isAsReceived() ? own.head() : withStatus(own, fields, toHead);
    }

    // the body is the endpoint's
    private static ResponseHead withStatus(EndpointResponse own, Fields fields, boolean toHead) {
        int status = statusOf(own);
        long length = toHead || ResponseHead.neverHasBody(status)
                ? BodyLength.NONE
                : own.head().bodyLength();
        if (length == BodyLength.NONE && !toHead) {
            fields.remove(FieldName.CONTENT_LENGTH);
        }
        return new ResponseHead(status, null, fields, length);
    }

    private static ResponseHead ofFilter(Response value, Fields fields, boolean toHead) {
        int status = statusOf(value);
        fields.remove(FieldName.CONTENT_LENGTH);
        if (ResponseHead.neverHasBody(status)) {
            return new ResponseHead(status, null, fields, BodyLength.NONE);
        }
        int length = value.isChunked() ? -1 : value.content().length();
        if (length > 0) {
            fields.set(FieldName.CONTENT_LENGTH, Integer.toString(length));
        }
        long octets = toHead || length == 0 ? BodyLength.NONE : length < 0 ? BodyLength.UNKNOWN : length;
        return new ResponseHead(status, null, fields, octets);
    }

    private static int statusOf(Response value) {
        int status = value.status().code();
        if (status < 200 || status > LARGEST_STATUS) {
            throw new IllegalArgumentException("status " + status + " from a filter");
        }
        return status;
    }
}
