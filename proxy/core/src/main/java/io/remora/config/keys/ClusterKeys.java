package io.remora.config.keys;

import io.remora.config.model.ClusterConfig;

/** The keys of {@code clusters}, in the order of the page. */
public final class ClusterKeys {
    /** One cluster or more, by name. */
    public static final Key CLUSTERS = Key.required(null, "clusters", Key.CLUSTERS);

    /**
     * One address or more, {@code unix:/PATH} for a Unix socket, each listed once; or mappings that say more of it, {@code {address: "10.0.0.7:8080", weight: 3}}. Not
     * where {@code resolver} or {@code dest} stands in their place.
     */
    public static final Key ENDPOINTS = Key.required(CLUSTERS, "endpoints", "list of addresses or mappings");

    /**
     * How an endpoint is picked for each request: the name of a kind, or a mapping. The default draws two endpoints and picks the
     * one with fewer requests under way. See [balancing.md](balancing.md).
     */
    public static final Key BALANCER = Key.text(CLUSTERS, "balancer", "kind, or mapping", "least-loaded");

    /** Where endpoints come from that are not listed here, and may change. See [endpoints.md](endpoints.md). */
    public static final Key RESOLVER =
            Key.optional(CLUSTERS, "resolver", "mapping with `file`, `dns`, `consul` or `kubernetes`");

    /**
     * A name in Finagle's terms that stands for the endpoints, in the place of {@code endpoints} and {@code resolver}: {@code
     * finagle.dtab} and the {@code dtab} of routes say where it leads. With {@code engine: finagle} only. See
     * [engines.md](engines.md#names-and-dtabs).
     */
    public static final Key DEST = Key.optional(CLUSTERS, "dest", "path, such as `/s/app`");

    /**
     * Makes the endpoints those places where redirected connections were to go, in place of {@code endpoints}. It needs the library
     * of the runtime images, and rules in the kernel. See [capture.md](capture.md).
     */
    public static final Key ORIGINAL_DESTINATION = Key.mappingOrOff(CLUSTERS, "original-destination");

    /**
     * Makes the cluster a template, which stands for a cluster for each host that requests name: {@code {host}} and {@code {port}}
     * in {@code resolver} and {@code tls} are theirs. Routes name it beside {@code cluster-from: host}. See [outbound.md](outbound.md).
     */
    public static final Key TEMPLATE = Key.optional(CLUSTERS, "template", "mapping with `hosts`");

    /**
     * Connections per endpoint and event loop, leased and idle together; a request that would need one more is answered
     * with 503. The default lies above a listener's {@code in-flight}, so that it is no second limit.
     */
    public static final ValueKey<Integer> MAX_CONNECTIONS =
            Key.count(CLUSTERS, "max-connections", 1, Key.MAX_COUNT, 1_024);

    /**
     * Idle connections kept per endpoint and event loop; the default falls with {@code max-connections}. A busy
     * application stays connected, and what a burst opened beyond that is given back.
     */
    public static final ValueKey<Integer> MAX_IDLE_CONNECTIONS =
            Key.count(CLUSTERS, "max-idle-connections", "0 to `max-connections`", 0, Key.MAX_COUNT, 64);

    /** The bounds of a connection to an endpoint, whichever listener's exchange it serves. */
    public static final Key LIMITS = Key.mapping(CLUSTERS, "limits");

    /**
     * All field lines of a response together; a larger header section is answered with 502. An endpoint is the
     * operator's own and may send more than a client; the bound keeps a broken one from filling the heap.
     */
    public static final ValueKey<Integer> HEADER_BLOCK =
            Key.heldBytes(LIMITS, "header-block", ClusterConfig.HEADER_BLOCK_BYTES);

    /**
     * What is held per direction on a connection to an endpoint before the sending side is no longer read: the part of a
     * request that waits for the endpoint, and what one read of a response brings.
     */
    public static final ValueKey<Integer> BUFFER = Key.heldBytes(LIMITS, "buffer", ClusterConfig.BUFFER_BYTES);

    /** TLS on the connections to endpoints; {@code off} is plain HTTP. See [tls.md](tls.md). */
    public static final Key TLS = Key.mappingOrOff(CLUSTERS, "tls");

    /**
     * What endpoints are spoken to in. {@code http2} is HTTP/2 at once, by ALPN where {@code tls} is given; {@code auto} is what ALPN
     * agrees on, which needs {@code tls}; {@code client} is what the client spoke, see [http2.md](http2.md#towards-endpoints). {@code tcp}
     * is for listeners with {@code protocol: tcp}, and only these lead here, see [tcp.md](tcp.md).
     */
    public static final Key PROTOCOL =
            Key.text(CLUSTERS, "protocol", "`http1`, `http2`, `auto`, `client` or `tcp`", "http1");

    /**
     * The version of the PROXY header that each connection to an endpoint begins with, before TLS: it says which client the
     * connection is for, so that none is shared among clients. See [tcp.md](tcp.md#the-proxy-protocol-towards-endpoints).
     */
    public static final Key PROXY_PROTOCOL = Key.text(CLUSTERS, "proxy-protocol", "`off`, `v1` or `v2`", Key.OFF);

    /** The bounds of an HTTP/2 connection to an endpoint; only beside a {@code protocol} that may be HTTP/2. */
    public static final Key HTTP2 = Key.mapping(CLUSTERS, "http2");

    /** How long the sidecar waits for an endpoint. */
    public static final Key TIMEOUTS = Key.mapping(CLUSTERS, "timeouts");

    /**
     * To open a connection; beyond it 504. The endpoint is on this machine or in this network, where a second means a
     * lost packet and its retransmission.
     */
    public static final ValueKey<Long> CONNECT = Key.durationNs(TIMEOUTS, "connect", ClusterConfig.CONNECT_TIMEOUT_NS);

    /**
     * From the end of the request to the end of the final response's header section; beyond it 504. Users wait no longer
     * than the default.
     */
    public static final ValueKey<Long> RESPONSE_HEADER = Key.durationNs(TIMEOUTS, "response-header", 30_000_000_000L);

    /**
     * How long an unused connection is kept. The default is shorter than application servers commonly keep theirs, so
     * that the endpoint is rarely the one to close first.
     */
    public static final ValueKey<Long> IDLE = Key.durationNs(TIMEOUTS, "idle", ClusterConfig.IDLE_NS);

    /**
     * How long a connection is used, less up to a tenth; it is closed when the exchange in progress is over, and upgraded
     * connections stay. With {@code tls} the default is {@code 1h}: endpoints are verified when a connection is made.
     */
    public static final ValueKey<Long> MAX_CONNECTION_AGE = Key.durationOrOffNs(TIMEOUTS, "max-connection-age");

    /**
     * Has the kernel ask an endpoint that is silent whether it is still there (TCP keepalive), as often as the {@code
     * net.ipv4.tcp_keepalive_*} settings of the sidecar's network namespace say: by Linux' default after two hours.
     */
    public static final Choice<Boolean> TCP_KEEP_ALIVE = Key.flag(TIMEOUTS, "tcp-keep-alive", false);

    /**
     * Further attempts at requests that failed, of the routes that say nothing of their own. An idempotent request is sent
     * again when no endpoint could be reached, when its connection ended before the response, when {@code timeouts.try} ran
     * out, and for some statuses; any other request only if nothing of it was sent. A budget bounds them: 20 % of the
     * cluster's requests, and 10 a second. See [resilience.md](resilience.md).
     */
    public static final Key RETRIES = Key.mappingOrOff(CLUSTERS, "retries");

    /**
     * Takes endpoints out of use whose requests fail, and brings them back. What counts as a failure is a status of 500 and above,
     * and whatever is the endpoint's fault; a client that left and a deadline that a caller set are not.
     */
    public static final Key ACCRUAL = Key.mappingOrOff(CLUSTERS, "accrual");

    /** The per cent of the endpoints below which it is taken for an error that the others are out of use: then all are used. */
    public static final ValueKey<Integer> PANIC_BELOW = Key.count(CLUSTERS, "panic-below", 0, 100, 50);

    /** Bounds on what the cluster is given at once, over all event loops; with {@code original-destination} each of the destinations. */
    public static final Key BREAKERS = Key.mappingOrOff(CLUSTERS, "breakers");

    /** Asks each endpoint for its health beside its requests, and takes those out of use that fail. */
    public static final Key HEALTH_CHECK = Key.mappingOrOff(CLUSTERS, "health-check");

    private ClusterKeys() {}
}
