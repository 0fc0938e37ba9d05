package io.remora.testkit;

/**
 * What can go wrong with an exchange, as a sidecar's users know it: the status, and the label in {@code Remora-Error}
 * and in the metrics. Written down a second time, so that a change of either is noticed.
 */
public enum Failure {
    BAD_REQUEST(400, "bad-request"),
    BAD_DTAB(400, "bad-dtab"),
    BAD_PATH(400, "bad-path"),
    IDENTITY_REFUSED(403, "identity-refused"),
    CLIENT_DENIED(403, "client-denied"),
    NO_ROUTE(404, "no-route"),
    HEADER_TIMEOUT(408, "header-timeout"),
    REQUEST_BODY_TIMEOUT(408, "request-body-timeout"),
    TUNNEL_IDLE(408, "tunnel-idle"),
    BODY_TOO_LARGE(413, "body-too-large"),
    TARGET_TOO_LONG(414, "target-too-long"),
    RATE_LIMITED(429, "rate-limited"),
    HEADERS_TOO_LARGE(431, "headers-too-large"),
    CLIENT_GONE(499, "client-gone"),
    CLIENT_STALLED(499, "client-stalled"),
    FLOOD(499, "flood"),
    INTERNAL(500, "internal"),
    CONNECT_REFUSED(501, "connect-not-supported"),
    UNKNOWN_TRANSFER_CODING(501, "unknown-transfer-coding"),
    CONNECT_FAILED(502, "connect-failed"),
    HANDSHAKE_FAILED(502, "handshake-failed"),
    BACKEND_CLOSED(502, "backend-closed"),
    STREAM_REFUSED(503, "stream-refused"),
    STREAM_RESET(502, "stream-reset"),
    BAD_RESPONSE(502, "bad-response"),
    BACKEND_FLOOD(502, "flood"),
    WEBSOCKET_REFUSED(502, "websocket-not-supported"),
    OVERLOADED(503, "overloaded"),
    SHED(503, "shed"),
    POOL_EXHAUSTED(503, "pool-exhausted"),
    BREAKER_IN_FLIGHT(503, "breaker-in-flight"),
    BREAKER_PENDING(503, "breaker-pending"),
    BREAKER_CONNECTIONS(503, "breaker-connections"),
    NO_ENDPOINT(503, "no-endpoint"),
    NOT_RESOLVED(503, "not-resolved"),
    TOO_MANY_HOSTS(503, "too-many-hosts"),
    DESTINATION_REFUSED(503, "destination-refused"),
    TOO_MANY_DESTINATIONS(503, "too-many-destinations"),
    OUT_OF_DESCRIPTORS(503, "out-of-descriptors"),
    CUT(503, "cut-by-drain"),
    CONNECT_TIMEOUT(504, "connect-timeout"),
    RESPONSE_TIMEOUT(504, "response-timeout"),
    TRY_TIMEOUT(504, "try-timeout"),
    TOTAL_TIMEOUT(504, "total-timeout"),
    CALLER_DEADLINE(504, "caller-deadline"),
    BACKEND_STALLED(504, "backend-stalled"),
    UNSUPPORTED_VERSION(505, "version-not-supported"),
    LOOP(508, "loop");

    private final int status;
    private final String label;

    Failure(int status, String label) {
        this.status = status;
        this.label = label;
    }

    public int status() {
        return status;
    }

    public String label() {
        return label;
    }
}
