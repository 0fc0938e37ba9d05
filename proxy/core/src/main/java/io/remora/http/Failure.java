package io.remora.http;

import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The failures of an exchange, as data: the status, and the label in metrics and {@code Remora-Error}. Each also has
 * whether the client's connection ends with it, whose fault it is, and whether the request may be sent again.
 *
 * <p>A peer's violation of HTTP is 400, the transport to a backend 502, overload 503, a deadline 504. Each failure is
 * counted once, where it becomes a response or a cut connection.
 *
 * <p>Spec: RFC 9110 section 15; 429 and 431 are RFC 6585, 508 is RFC 5842.
 */
public enum Failure {
    /** The frontend broke a rule of HTTP; what follows on its connection cannot be trusted. */
    BAD_REQUEST(400, "bad-request", true, "The request is not valid HTTP."),
    /** The request's dtab cannot be read, or leads where it may not. */
    BAD_DTAB(400, "bad-dtab", false, "The request's dtab cannot be used."),
    /**
     * The path has spellings that take different routes, or that the listener refuses. Or it has dot segments, which
     * could lead out of the route's own path.
     */
    BAD_PATH(400, "bad-path", false, "The request's path is ambiguous."),
    /** The listener or the route does not allow the client's proven identity. */
    IDENTITY_REFUSED(403, "identity-refused", false, "The client's identity is not allowed here."),
    /** The listener or the route does not allow the client's address. */
    CLIENT_DENIED(403, "client-denied", false, "The client's address is not allowed here."),
    NO_ROUTE(404, "no-route", false, "No route matches this request."),
    HEADER_TIMEOUT(408, "header-timeout", true, "The request's header section took too long."),
    REQUEST_BODY_TIMEOUT(408, "request-body-timeout", true, "The request's body took too long."),
    BODY_TOO_LARGE(413, "body-too-large", true, "The request's body is larger than allowed."),
    TARGET_TOO_LONG(414, "target-too-long", true, "The request line is longer than allowed."),
    /** A rate limit of the listener or of the route was passed. */
    RATE_LIMITED(429, "rate-limited", false, "Too many requests; the rate limit is used up."),
    HEADERS_TOO_LARGE(431, "headers-too-large", true, "The request's header section is larger than allowed."),
    CONNECT_REFUSED(501, "connect-not-supported", true, "CONNECT is not supported."),
    UNKNOWN_TRANSFER_CODING(501, "unknown-transfer-coding", true, "The request's transfer coding is not supported."),
    UNSUPPORTED_VERSION(505, "version-not-supported", true, "The HTTP version is not supported."),
    /** The request has been through this sidecar before. */
    LOOP(508, "loop", false, "The request loops through this proxy."),
    /** No connection to the backend could be made. */
    CONNECT_FAILED(502, "connect-failed", false, "The backend cannot be reached.", true, Repeat.UNSENT),
    /** The backend was reached, and the handshake that makes the connection ready failed. */
    HANDSHAKE_FAILED(
            502, "handshake-failed", false, "The connection to the backend could not be set up.", true, Repeat.UNSENT),
    /** The backend closed or reset before a whole response was there. */
    BACKEND_CLOSED(
            502,
            "backend-closed",
            false,
            "The backend closed the connection before it answered.",
            true,
            Repeat.UNANSWERED),
    /** The backend says that it has not processed the request, because it is going away or has too many of them. */
    STREAM_REFUSED(503, "stream-refused", false, "The backend refused the request.", true, Repeat.UNPROCESSED),
    /** The backend gave up this request, and not the connection that it came on. */
    STREAM_RESET(502, "stream-reset", false, "The backend reset the request.", true, Repeat.NEVER),
    /** The backend broke a rule of HTTP. */
    BAD_RESPONSE(502, "bad-response", false, "The backend's response is not valid HTTP.", true, Repeat.NEVER),
    /** The backend sent more frames that bring nothing than its connection may carry. */
    BACKEND_FLOOD(502, "flood", false, "The backend sends too many frames without content.", true, Repeat.NEVER),
    /** The endpoint speaks HTTP/2, and takes no WebSockets in it: other requests it may serve well. */
    WEBSOCKET_REFUSED(
            502, "websocket-not-supported", false, "The backend does not take WebSockets.", false, Repeat.UNSENT),
    /** More exchanges in flight than the listener allows. */
    OVERLOADED(503, "overloaded", false, "Too many requests are in progress."),
    /** More requests wait for the backend than it answers in good time. */
    SHED(503, "shed", false, "Too many requests are waiting for the backend."),
    /** The endpoint's connections are all in use. */
    POOL_EXHAUSTED(
            503, "pool-exhausted", false, "Too many requests are in progress to the backend.", false, Repeat.UNSENT),
    /** More requests at the cluster than its breakers allow. */
    BREAKER_IN_FLIGHT(503, "breaker-in-flight", false, "Too many requests are in progress to the backend."),
    BREAKER_PENDING(503, "breaker-pending", false, "Too many requests wait for a connection to the backend."),
    BREAKER_CONNECTIONS(503, "breaker-connections", false, "The backend has too many connections."),
    /** The cluster's source of endpoints says that there are none. */
    NO_ENDPOINT(503, "no-endpoint", false, "The backend has no endpoint."),
    /** The cluster's source of endpoints has not answered yet. */
    NOT_RESOLVED(503, "not-resolved", false, "The backend's endpoints are not known yet."),
    /** The template has clusters for as many hosts as it may have. */
    TOO_MANY_HOSTS(503, "too-many-hosts", false, "Too many hosts are in use."),
    /** The connection was not redirected here, or was to go to the sidecar itself. */
    DESTINATION_REFUSED(503, "destination-refused", false, "The connection has no destination but this proxy."),
    /** The cluster has as many destinations in use as it may have. */
    TOO_MANY_DESTINATIONS(503, "too-many-destinations", false, "Too many destinations are in use."),
    /** The process has no descriptor left for a connection to the backend. */
    OUT_OF_DESCRIPTORS(503, "out-of-descriptors", false, "The proxy has no connection left."),
    CONNECT_TIMEOUT(
            504, "connect-timeout", false, "The backend did not accept a connection in time.", true, Repeat.UNSENT),
    RESPONSE_TIMEOUT(504, "response-timeout", false, "The backend did not answer in time.", true, Repeat.NEVER),
    /** The attempt took longer than the route gives one, and no other one followed. */
    TRY_TIMEOUT(504, "try-timeout", false, "The backend did not answer this attempt in time.", true, Repeat.NEVER),
    /** The exchange took longer than the route gives it. */
    TOTAL_TIMEOUT(504, "total-timeout", false, "The request took longer than allowed.", true, Repeat.NEVER),
    /** The caller said that it would not wait any longer, which is nobody's fault. */
    CALLER_DEADLINE(504, "caller-deadline", false, "The request took longer than its sender allowed."),
    /** The backend stopped sending its response, or reading the request, for too long. */
    BACKEND_STALLED(504, "backend-stalled", true, "The backend stopped in the middle.", true, Repeat.NEVER),
    /** Something in here broke; the log has it. */
    INTERNAL(500, "internal", true, "The proxy failed."),
    /**
     * The client went away, or stopped reading: no response can reach it. The status is the one that peers log for
     * this.
     */
    CLIENT_GONE(499, "client-gone", true, ""),
    CLIENT_STALLED(499, "client-stalled", true, ""),
    /** The client sent more frames that bring nothing than its connection may carry. */
    FLOOD(499, "flood", true, ""),
    /** A connection that is a tunnel from its first octet has not moved in either direction. */
    TUNNEL_IDLE(408, "tunnel-idle", true, "The tunnel was idle for too long."),
    /** The drain ran out of time. */
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

    /** The attempts that may follow one with this failure. */
    public enum Repeat {
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
