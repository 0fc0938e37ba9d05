package io.remora.http;

import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The failures of an exchange, as data: the status, and the label in metrics and {@code Remora-Error}. Each also has
 * whether the client's connection ends with it, whose fault it is, and whether the request may be sent again. Their
 * comments are the sentences of docs/failures.md.
 *
 * <p>A peer's violation of HTTP is 400, the transport to a backend 502, overload 503, a deadline 504. Each failure is
 * counted once, where it becomes a response or a cut connection.
 *
 * <p>Spec: RFC 9110 section 15; 429 and 431 are RFC 6585, 508 is RFC 5842.
 */
public enum Failure {
    /**
     * The request violated an HTTP rule, or it ended before it was complete. The sidecar closes the connection. Over
     * HTTP/2 it ends only the stream. If the stream was reset, no response is sent and the status in the log is 0.
     */
    BAD_REQUEST(400, "bad-request", true, "The request is not valid HTTP."),
    /**
     * The [dtab](engines.md#per-request-dtabs) of the request cannot be parsed, or it points to a destination
     * that is not allowed.
     */
    BAD_DTAB(400, "bad-dtab", false, "The request's dtab cannot be used."),
    /**
     * Different spellings of the path [match different routes](routing.md#path-normalization), or the {@code path} or
     * {@code refuse-in-path} setting of the listener rejects the path. The label is also used if a dot segment follows
     * the part of the path that the route's {@code prefix} of [{@code rewrite} or {@code redirect}](routing.md#paths)
     * replaces.
     */
    BAD_PATH(400, "bad-path", false, "The request's path is ambiguous."),
    /** The client has not proved an identity that {@code require-identity} of the listener or the route allows. */
    IDENTITY_REFUSED(403, "identity-refused", false, "The client's identity is not allowed here."),
    /**
     * The [{@code clients}](limits.md#limits-per-client-address) setting of the listener or the route does not allow the
     * client's address.
     */
    CLIENT_DENIED(403, "client-denied", false, "The client's address is not allowed here."),
    /** The request does not match any route of the listener. */
    NO_ROUTE(404, "no-route", false, "No route matches this request."),
    /** The client did not send the complete header section within {@code timeouts.header-read}. */
    HEADER_TIMEOUT(408, "header-timeout", true, "The request's header section took too long."),
    /**
     * The client did not send any byte of the request body for {@code timeouts.body-idle}, or for the route's {@code
     * stream-idle}.
     */
    REQUEST_BODY_TIMEOUT(408, "request-body-timeout", true, "The request's body took too long."),
    /** The body exceeds {@code limits.body}. */
    BODY_TOO_LARGE(413, "body-too-large", true, "The request's body is larger than allowed."),
    /** The request line exceeds {@code limits.request-line}. */
    TARGET_TOO_LONG(414, "target-too-long", true, "The request line is longer than allowed."),
    /**
     * A [rate limit](limits.md) of the listener or the route was exceeded. The response includes Retry-After, RateLimit
     * and RateLimit-Policy.
     */
    RATE_LIMITED(429, "rate-limited", false, "Too many requests; the rate limit is used up."),
    /**
     * The header or trailer section exceeds {@code limits.header-block} or {@code limits.header-fields}, or the limit
     * that an HTTP/2 endpoint has announced.
     */
    HEADERS_TOO_LARGE(431, "headers-too-large", true, "The request's header section is larger than allowed."),
    /** The method is CONNECT, and the request does not open a [WebSocket](http2.md#websockets). */
    CONNECT_REFUSED(501, "connect-not-supported", true, "CONNECT is not supported."),
    /** The request uses a transfer coding other than {@code chunked}. */
    UNKNOWN_TRANSFER_CODING(501, "unknown-transfer-coding", true, "The request's transfer coding is not supported."),
    /** The HTTP version is neither HTTP/1.0 nor HTTP/1.1. */
    UNSUPPORTED_VERSION(505, "version-not-supported", true, "The HTTP version is not supported."),
    /** The request has already passed through this sidecar, according to its Via field. */
    LOOP(508, "loop", false, "The request loops through this proxy."),
    /** The sidecar could not connect to the endpoint. It tries one other endpoint before the request fails. */
    CONNECT_FAILED(502, "connect-failed", false, "The backend cannot be reached.", true, Repeat.UNSENT),
    /**
     * The sidecar connected to the endpoint, but the handshake failed. It tries another endpoint, as for {@code
     * connect-failed}.
     */
    HANDSHAKE_FAILED(
            502, "handshake-failed", false, "The connection to the backend could not be set up.", true, Repeat.UNSENT),
    /** The endpoint closed or reset the connection before its response was complete. */
    BACKEND_CLOSED(
            502,
            "backend-closed",
            false,
            "The backend closed the connection before it answered.",
            true,
            Repeat.UNANSWERED),
    /**
     * The endpoint reported over HTTP/2 that it did not process the request, by sending GOAWAY or REFUSED_STREAM. If no
     * part of the body had been sent, the sidecar first tried another endpoint, or the same endpoint once more.
     */
    STREAM_REFUSED(503, "stream-refused", false, "The backend refused the request.", true, Repeat.UNPROCESSED),
    /** The endpoint reset the HTTP/2 stream of the request. The connection stays open. */
    STREAM_RESET(502, "stream-reset", false, "The backend reset the request.", true, Repeat.NEVER),
    /** The response violated an HTTP rule. */
    BAD_RESPONSE(502, "bad-response", false, "The backend's response is not valid HTTP.", true, Repeat.NEVER),
    /**
     * The endpoint sent too many HTTP/2 frames that [carry no useful data](http2.md#http2-to-endpoints). The sidecar
     * closed the connection together with all of its open streams.
     */
    BACKEND_FLOOD(502, "flood", false, "The backend sends too many frames without content.", true, Repeat.NEVER),
    /**
     * The endpoint uses HTTP/2, and its settings do not allow [WebSockets](http2.md#websockets). The sidecar tries
     * another endpoint, as for {@code connect-failed}.
     */
    WEBSOCKET_REFUSED(
            502, "websocket-not-supported", false, "The backend does not take WebSockets.", false, Repeat.UNSENT),
    /**
     * There are more than {@code limits.in-flight} exchanges, or there is not enough memory for another one. The label
     * is also used for slow clients that the sidecar cuts when memory is short, even in the middle of a response.
     */
    OVERLOADED(503, "overloaded", false, "Too many requests are in progress."),
    /** More requests are waiting for the backend than {@code admission.adaptive} allows. */
    SHED(503, "shed", false, "Too many requests are waiting for the backend."),
    /**
     * The endpoint already uses all of its {@code max-connections}. The sidecar tries another endpoint, as for {@code
     * connect-failed}.
     */
    POOL_EXHAUSTED(
            503, "pool-exhausted", false, "Too many requests are in progress to the backend.", false, Repeat.UNSENT),
    /** The cluster has more requests in flight than {@code breakers.in-flight} allows. */
    BREAKER_IN_FLIGHT(503, "breaker-in-flight", false, "Too many requests are in progress to the backend."),
    /** More requests are waiting for a connection than {@code breakers.pending} allows. */
    BREAKER_PENDING(503, "breaker-pending", false, "Too many requests wait for a connection to the backend."),
    /** The cluster has reached {@code breakers.connections}, and no connection is idle. */
    BREAKER_CONNECTIONS(503, "breaker-connections", false, "The backend has too many connections."),
    /** The endpoint source reports that the cluster has no endpoints. */
    NO_ENDPOINT(503, "no-endpoint", false, "The backend has no endpoint."),
    /** The endpoint source has not responded yet. */
    NOT_RESOLVED(503, "not-resolved", false, "The backend's endpoints are not known yet."),
    /** The template has reached its maximum number of hosts. See [outbound.md](outbound.md). */
    TOO_MANY_HOSTS(503, "too-many-hosts", false, "Too many hosts are in use."),
    /**
     * The connection was not redirected to this listener, or its destination is the sidecar itself. See
     * [capture.md](capture.md).
     */
    DESTINATION_REFUSED(503, "destination-refused", false, "The connection has no destination but this proxy."),
    /**
     * The cluster already uses {@code original-destination.destinations} destinations. See [capture.md](capture.md).
     */
    TOO_MANY_DESTINATIONS(503, "too-many-destinations", false, "Too many destinations are in use."),
    /** The process has run out of file descriptors. */
    OUT_OF_DESCRIPTORS(503, "out-of-descriptors", false, "The proxy has no connection left."),
    /**
     * The connection was not established within {@code timeouts.connect} of the cluster. The sidecar tries another
     * endpoint, as for {@code connect-failed}.
     */
    CONNECT_TIMEOUT(
            504, "connect-timeout", false, "The backend did not accept a connection in time.", true, Repeat.UNSENT),
    /** The header section of the response did not arrive within {@code timeouts.response-header} of the cluster. */
    RESPONSE_TIMEOUT(504, "response-timeout", false, "The backend did not answer in time.", true, Repeat.NEVER),
    /**
     * The header section of the response did not arrive within {@code timeouts.try} of the route, and no other attempt
     * followed.
     */
    TRY_TIMEOUT(504, "try-timeout", false, "The backend did not answer this attempt in time.", true, Repeat.NEVER),
    /**
     * The exchange exceeded {@code timeouts.total} of the route. If the response had already started, the sidecar cut
     * it.
     */
    TOTAL_TIMEOUT(504, "total-timeout", false, "The request took longer than allowed.", true, Repeat.NEVER),
    /**
     * The deadline that the caller set for the request in its {@code caller-header} passed. This failure does not count
     * against an endpoint.
     */
    CALLER_DEADLINE(504, "caller-deadline", false, "The request took longer than its sender allowed."),
    /**
     * The endpoint stopped sending its response for {@code timeouts.body-idle} or for the route's {@code stream-idle},
     * or it stopped reading the request for {@code body-idle}.
     */
    BACKEND_STALLED(504, "backend-stalled", true, "The backend stopped in the middle.", true, Repeat.NEVER),
    /** The sidecar failed because of a bug. Its log contains the details. */
    INTERNAL(500, "internal", true, "The proxy failed."),
    /**
     * The client closed or reset the connection, or half-closed it with {@code client-half-close: cancel}. This failure
     * is only logged because no response can reach the client.
     */
    CLIENT_GONE(499, "client-gone", true, ""),
    /** The client did not read any byte of the response for {@code timeouts.body-idle}. This failure is only logged. */
    CLIENT_STALLED(499, "client-stalled", true, ""),
    /**
     * The client sent too many frames that [are cheap to send](http2.md#limits). The sidecar closed its HTTP/2
     * connection together with all of its open streams. This failure is only logged.
     */
    FLOOD(499, "flood", true, ""),
    /**
     * No data was transferred for {@code timeouts.idle} on a connection of a listener with [{@code protocol:
     * tcp}](tcp.md). This failure is only logged.
     */
    TUNNEL_IDLE(408, "tunnel-idle", true, "The tunnel was idle for too long."),
    /** The exchange was still in progress when the drain timed out. */
    CUT(503, "cut-by-drain", true, "The proxy is stopping.");

    private final int status;
    private final String label;
    private final boolean closesFrontend;
    private final String text;
    private final boolean backends;
    private final Repeat repeat;

    Failure(int status, String label, boolean closesFrontend, String text) {
        this(status, label, closesFrontend, text, false, Repeat.NEVER);
    }

    Failure(int status, String label, boolean closesFrontend, String text, boolean backends, Repeat repeat) {
        this.backends = backends;
        this.repeat = repeat;
        this.status = status;
        this.label = label;
        this.closesFrontend = closesFrontend;
        this.text = text;
    }

    /** The attempts that may follow one with this failure, where no retry policy says more. */
    public enum Repeat {
        /** No attempt follows. */
        NEVER,
        /** The endpoint got nothing of the request: any request may go to another one. */
        UNSENT,
        /**
         * The endpoint says that it has not processed the request: any request may be sent again whose body has not
         * begun to go out.
         */
        UNPROCESSED,
        /**
         * The request went out on a connection that had served before, and no answer came: an idempotent one may be
         * sent again.
         */
        UNANSWERED
    }

    public Repeat repeat() {
        return repeat;
    }

    /** Returns whether it is the fault of the backend or of the way to it. */
    public boolean isBackends() {
        return backends;
    }

    public int status() {
        return status;
    }

    /** The value of {@code Remora-Error} and of the metric's label. */
    public String label() {
        return label;
    }

    /** Returns whether the client's connection cannot carry another request. */
    public boolean closesFrontend() {
        return closesFrontend;
    }

    /** One sentence for the response's body. */
    public String text() {
        return text;
    }

    /** Returns whether the client may try again soon (Retry-After, RFC 9110 10.2.3). */
    public boolean retryLater() {
        return status == 503;
    }

    /** Returns whether the fault is the client's absence, so that no response is owed. */
    public boolean withoutResponse() {
        return status == 499;
    }

    /** The label of every failure there is, each once: a flood has the same on both sides. */
    public static String[] labels() {
        Set<String> labels = new LinkedHashSet<>();
        for (Failure one : values()) {
            labels.add(one.label);
        }
        return labels.toArray(new String[0]);
    }
}
