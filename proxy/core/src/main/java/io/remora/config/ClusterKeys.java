package io.remora.config;

/** The keys of {@code clusters}, in the order of the page. */
final class ClusterKeys {
    /** One cluster or more, by name. */
    static final Key CLUSTERS = Key.required(null, "clusters", Key.CLUSTERS);

    /** One address or more, each listed once, unless {@code resolver} stands in their place. */
    static final Key ENDPOINTS = Key.required(CLUSTERS, "endpoints", "list of addresses");

    /** Where endpoints come from that are not listed here, and may change. See [endpoints.md](endpoints.md). */
    static final Key RESOLVER = Key.optional(CLUSTERS, "resolver", "mapping with `file` or `dns`");

    /**
     * Connections per endpoint and event loop, leased and idle together; a request that would need one more is answered
     * with 503. The default lies above a listener's {@code in-flight}, so that it is no second limit.
     */
    static final Key MAX_CONNECTIONS = Key.count(CLUSTERS, "max-connections", 1, Key.MAX_COUNT, 1_024);

    /**
     * Idle connections kept per endpoint and event loop; the default falls with {@code max-connections}. A busy
     * application stays connected, and what a burst opened beyond that is given back.
     */
    static final Key MAX_IDLE_CONNECTIONS =
            Key.count(CLUSTERS, "max-idle-connections", "0 to `max-connections`", 0, Key.MAX_COUNT, 64);

    /** The bounds of a connection to an endpoint, whichever listener's exchange it serves. */
    static final Key LIMITS = Key.mapping(CLUSTERS, "limits");

    /**
     * All field lines of a response together; a larger header section is answered with 502. An endpoint is the
     * operator's own and may send more than a client; the bound keeps a broken one from filling the heap.
     */
    static final Key HEADER_BLOCK = Key.heldBytes(LIMITS, "header-block", 64 << 10);

    /**
     * What is held per direction on a connection to an endpoint before the sending side is no longer read: the part of a
     * request that waits for the endpoint, and what one read of a response brings.
     */
    static final Key BUFFER = Key.heldBytes(LIMITS, "buffer", 32 << 10);

    /** TLS on the connections to endpoints; {@code off} is plain HTTP. See [tls.md](tls.md). */
    static final Key TLS = Key.mappingOrOff(CLUSTERS, "tls");

    /** How long the sidecar waits for an endpoint. */
    static final Key TIMEOUTS = Key.mapping(CLUSTERS, "timeouts");

    /**
     * To open a connection; beyond it 504. The endpoint is on this machine or in this network, where a second means a
     * lost packet and its retransmission.
     */
    static final Key CONNECT = Key.durationNs(TIMEOUTS, "connect", 1_000_000_000L);

    /**
     * From the end of the request to the end of the final response's header section; beyond it 504. Users wait no longer
     * than the default.
     */
    static final Key RESPONSE_HEADER = Key.durationNs(TIMEOUTS, "response-header", 30_000_000_000L);

    /**
     * How long an unused connection is kept. The default is shorter than application servers commonly keep theirs, so
     * that the endpoint is rarely the one to close first.
     */
    static final Key IDLE = Key.durationNs(TIMEOUTS, "idle", 60_000_000_000L);

    /**
     * How long a connection is used, less up to a tenth; it is closed when the exchange in progress is over, and upgraded
     * connections stay. With {@code tls} the default is {@code 1h}: endpoints are verified when a connection is made.
     */
    static final Key MAX_CONNECTION_AGE = Key.durationOrOffNs(TIMEOUTS, "max-connection-age");

    private ClusterKeys() {}
}
