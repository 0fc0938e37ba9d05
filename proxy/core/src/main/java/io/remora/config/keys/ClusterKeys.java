package io.remora.config.keys;

import io.remora.config.model.ClusterConfig;

/** The keys of {@code clusters}, in the order of the page. */
public final class ClusterKeys {
    /** One cluster or more, by name. */
    public static final Key CLUSTERS = Key.required(null, "clusters", Key.CLUSTERS);

    /**
     * One endpoint or more, by address, {@code unix:/PATH} for a Unix socket, each listed once. A mapping says more of
     * an endpoint, {@code {address: "10.0.0.7:8080", weight: 3}}. Not together with {@code resolver} or {@code dest}.
     */
    public static final Key ENDPOINTS = Key.required(CLUSTERS, "endpoints", "list of addresses or mappings");

    /**
     * The balancer that picks an endpoint for each request: the name of a kind, or a mapping. The default draws two
     * endpoints and picks the one with fewer requests under way. See [balancing.md](balancing.md).
     */
    public static final Key BALANCER = Key.text(CLUSTERS, "balancer", "kind, or mapping", "least-loaded");

    /** The source of endpoints that are not listed here, and may change. See [endpoints.md](endpoints.md). */
    public static final Key RESOLVER =
            Key.optional(CLUSTERS, "resolver", "mapping with `file`, `dns`, `consul` or `kubernetes`");

    /**
     * A name in Finagle's terms that stands for the endpoints, instead of {@code endpoints} and {@code resolver}.
     * {@code finagle.dtab} and the {@code dtab} of routes say where it leads. With {@code engine: finagle} only. See
     * [engines.md](engines.md#names-and-dtabs).
     */
    public static final Key DEST = Key.optional(CLUSTERS, "dest", "path, such as `/s/app`");

    /**
     * Makes the original destinations of redirected connections the endpoints, instead of {@code endpoints}. It needs
     * the library of the runtime images, and rules in the kernel. See [capture.md](capture.md).
     */
    public static final Key ORIGINAL_DESTINATION = Key.mappingOrOff(CLUSTERS, "original-destination");

    /**
     * Makes the cluster a template, which stands for a cluster for each host that requests name: {@code {host}} and
     * {@code {port}} in {@code resolver} and {@code tls} are theirs. Routes name it together with {@code cluster-from:
     * host}. See [outbound.md](outbound.md).
     */
    public static final Key TEMPLATE = Key.optional(CLUSTERS, "template", "mapping with `hosts`");

    /**
     * Connections per endpoint and event loop, leased and idle together. A request that would need one more gets 503.
     * The default lies above a listener's {@code in-flight}, so that it is no second limit.
     */
    public static final ValueKey<Integer> MAX_CONNECTIONS =
            Key.count(CLUSTERS, "max-connections", 1, Key.MAX_COUNT, 1_024);

    /**
     * Idle connections kept per endpoint and event loop. The default falls with {@code max-connections}. A busy
     * application stays connected, and the connections that a burst opened beyond that are closed.
     */
    public static final ValueKey<Integer> MAX_IDLE_CONNECTIONS =
            Key.count(CLUSTERS, "max-idle-connections", "0 to `max-connections`", 0, Key.MAX_COUNT, 64);

    /** The bounds of a connection to an endpoint, for the exchanges of any listener. */
    public static final Key LIMITS = Key.mapping(CLUSTERS, "limits");

    /**
     * Size of all field lines of a response together. A larger header section gets 502. An endpoint is the operator's
     * own and may send more than a client; the bound keeps a broken one from filling the heap.
     */
    public static final ValueKey<Integer> HEADER_BLOCK =
            Key.heldBytes(LIMITS, "header-block", ClusterConfig.HEADER_BLOCK_BYTES);

    /**
     * Bytes held per direction on a connection to an endpoint before the sidecar stops reading the sending side. They
     * are the part of a request that waits for the endpoint, and the bytes that one read of a response brings.
     */
    public static final ValueKey<Integer> BUFFER = Key.heldBytes(LIMITS, "buffer", ClusterConfig.BUFFER_BYTES);

    /** TLS on the connections to endpoints; {@code off} is plain HTTP. See [tls.md](tls.md). */
    public static final Key TLS = Key.mappingOrOff(CLUSTERS, "tls");

    /**
     * The protocol towards endpoints. With {@code http2} it is HTTP/2 at once, by ALPN if {@code tls} is given. With
     * {@code auto} it is the one that ALPN agrees on, which needs {@code tls}. With {@code client} it is that of the
     * client, see [http2.md](http2.md#http2-to-endpoints). The value {@code tcp} is for listeners with {@code protocol:
     * tcp}, and only these lead here, see [tcp.md](tcp.md).
     */
    public static final Key PROTOCOL =
            Key.text(CLUSTERS, "protocol", "`http1`, `http2`, `auto`, `client` or `tcp`", "http1");

    /**
     * The version of the PROXY header with which each connection to an endpoint begins, before TLS. It says which
     * client the connection is for, so that none is shared among clients. See
     * [tcp.md](tcp.md#proxy-protocol-to-endpoints).
     */
    public static final Key PROXY_PROTOCOL = Key.text(CLUSTERS, "proxy-protocol", "`off`, `v1` or `v2`", Key.OFF);

    /** The bounds of an HTTP/2 connection to an endpoint; only with a {@code protocol} that may be HTTP/2. */
    public static final Key HTTP2 = Key.mapping(CLUSTERS, "http2");

    /** Times that the sidecar waits for an endpoint. */
    public static final Key TIMEOUTS = Key.mapping(CLUSTERS, "timeouts");

    /**
     * Time to open a connection; beyond it 504. The endpoint is on this machine or in this network, where a second
     * means a lost packet and its retransmission.
     */
    public static final ValueKey<Long> CONNECT = Key.durationNs(TIMEOUTS, "connect", ClusterConfig.CONNECT_TIMEOUT_NS);

    /**
     * Time from the end of the request to the end of the final response's header section; beyond it 504. Users wait no
     * longer than the default.
     */
    public static final ValueKey<Long> RESPONSE_HEADER = Key.durationNs(TIMEOUTS, "response-header", 30_000_000_000L);

    /**
     * Time that an unused connection is kept. The default is shorter than application servers commonly keep theirs, so
     * that the endpoint is rarely the one to close first.
     */
    public static final ValueKey<Long> IDLE = Key.durationNs(TIMEOUTS, "idle", ClusterConfig.IDLE_NS);

    /**
     * Time that a connection is used, less up to a tenth. It is closed when the exchange in progress is over, and
     * upgraded connections stay. With {@code tls} the default is {@code 1h}: endpoints are verified when a connection
     * is made.
     */
    public static final ValueKey<Long> MAX_CONNECTION_AGE = Key.durationOrOffNs(TIMEOUTS, "max-connection-age");

    /**
     * Has the kernel check that a silent endpoint is still there (TCP keepalive). The {@code net.ipv4.tcp_keepalive_*}
     * settings of the sidecar's network namespace set the times: by Linux' default after two hours.
     */
    public static final Choice<Boolean> TCP_KEEP_ALIVE = Key.flag(TIMEOUTS, "tcp-keep-alive", false);

    /**
     * Further attempts at requests that failed, for the routes without {@code retries} of their own. An idempotent
     * request is sent again for some statuses, and in three other cases. These are that no endpoint could be reached,
     * that the connection ended before the response, or that {@code timeouts.try} ran out. Any other request is sent
     * again only if nothing of it was sent. A budget bounds them: 20 % of the cluster's requests, and 10 a second. See
     * [resilience.md](resilience.md).
     */
    public static final Key RETRIES = Key.mappingOrOff(CLUSTERS, "retries");

    /**
     * Takes endpoints out of use whose requests fail, and brings them back. A failure is a status of 500 and above, and
     * any fault of the endpoint. A client that left and a deadline that a caller set are not.
     */
    public static final Key ACCRUAL = Key.mappingOrOff(CLUSTERS, "accrual");

    /**
     * The per cent of usable endpoints below which the sidecar uses all of them. So many endpoints out of use are taken
     * for an error.
     */
    public static final ValueKey<Integer> PANIC_BELOW = Key.count(CLUSTERS, "panic-below", 0, 100, 50);

    /**
     * Bounds on the cluster's connections and requests at once, over all event loops; with {@code original-destination}
     * on those of each destination.
     */
    public static final Key BREAKERS = Key.mappingOrOff(CLUSTERS, "breakers");

    /** Checks each endpoint's health next to its requests, and takes those out of use that fail. */
    public static final Key HEALTH_CHECK = Key.mappingOrOff(CLUSTERS, "health-check");

    private ClusterKeys() {}
}
