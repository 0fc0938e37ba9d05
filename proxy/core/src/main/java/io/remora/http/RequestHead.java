package io.remora.http;

import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;

/**
 * A request's head without a wire version: what HTTP/1 frontends make and what backends write.
 *
 * <p>Owner: the exchange's event loop; {@link #fields} is edited in place on its way to the backend.
 */
public final class RequestHead {
    public final HttpMethod method;
    /** Origin-form with its query, or {@code *}; never absolute. */
    public final String target;
    /** The Host field's value, or the authority of an absolute-form target. Validated, as received. */
    public final String authority;

    public final HttpHeaders fields;
    /** Octets of the body, or {@link BodyLength#UNKNOWN}. */
    public final long bodyLength;
    /** What the field lines said that stages after the decoder ask about. */
    public final RequestFacts facts;

    public RequestHead(
            HttpMethod method,
            String target,
            String authority,
            HttpHeaders fields,
            long bodyLength,
            RequestFacts facts) {
        this.method = method;
        this.target = target;
        this.authority = authority;
        this.fields = fields;
        this.bodyLength = bodyLength;
        this.facts = facts;
    }

    public boolean isHead() {
        return HttpMethod.HEAD.equals(method);
    }

    /** Whether sending it twice is as good as sending it once (RFC 9110 9.2.2). */
    public boolean isIdempotent() {
        return HttpMethod.GET.equals(method)
                || HttpMethod.HEAD.equals(method)
                || HttpMethod.PUT.equals(method)
                || HttpMethod.DELETE.equals(method)
                || HttpMethod.OPTIONS.equals(method)
                || HttpMethod.TRACE.equals(method);
    }

    /** The path without its query. */
    public String path() {
        int query = target.indexOf('?');
        return query < 0 ? target : target.substring(0, query);
    }
}
