package io.remora.http;

import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseStatus;

/**
 * A response's head without a wire version, interim or final.
 *
 * <p>Owner: the exchange's event loop; {@link #fields} is edited in place on its way to the client.
 */
public final class ResponseHead {
    public final HttpResponseStatus status;
    public final HttpHeaders fields;
    /**
     * Octets of the body, or {@link BodyLength#UNKNOWN}; {@link BodyLength#NONE} where the status or method forbids
     * one.
     */
    public final long bodyLength;

    public ResponseHead(HttpResponseStatus status, HttpHeaders fields, long bodyLength) {
        this.status = status;
        this.fields = fields;
        this.bodyLength = bodyLength;
    }

    public boolean isInterim() {
        return status.code() < 200;
    }

    /** Whether a message with this status never has a body (RFC 9110 6.4.1). */
    public static boolean neverHasBody(int status) {
        return status < 200 || status == 204 || status == 304;
    }
}
