package io.remora.config.keys;

import io.remora.config.model.ClusterConfig;

/** The keys of {@code clusters}, in the order of the page. */
public final class ClusterKeys {
    /** Clusters by name, at least one. */
    public static final Key CLUSTERS = Key.required(null, "clusters", Key.CLUSTERS);

    /**
     * List of endpoints, at least one: {@code HOST:PORT}, {@code unix:/PATH} for a Unix socket, or a mapping such as
     * {@code {address: "10.0.0.7:8080", weight: 3}}. Each address can be listed once. Cannot be combined with {@code
     * resolver} or {@code dest}.
     */
    public static final Key ENDPOINTS = Key.required(CLUSTERS, "endpoints", "list of addresses or mappings");

    /**
     * Load balancing: the name of an algorithm, or a mapping. The default chooses two random endpoints and uses the one
     * with fewer active requests. See [balancing.md](balancing.md).
     */
    public static final Key BALANCER = Key.text(CLUSTERS, "balancer", "kind, or mapping", "least-loaded");

    /** Service discovery for endpoints, as an alternative to {@code endpoints}. See [endpoints.md](endpoints.md). */
    public static final Key RESOLVER =
            Key.optional(CLUSTERS, "resolver", "mapping with `file`, `dns`, `consul` or `kubernetes`");

    /**
     * Name in Finagle syntax that stands for the endpoints. {@code finagle.dtab} and {@code dtab} of the routes bind
     * this name. Cannot be combined with {@code endpoints} or {@code resolver}. Requires {@code engine: finagle}. See
     * [engines.md](engines.md#names-and-dtabs).
     */
    public static final Key DEST = Key.optional(CLUSTERS, "dest", "path, such as `/s/app`");

    /**
     * Uses the original destination of redirected connections as the endpoint, as an alternative to {@code endpoints}.
     * Requires the native library of the runtime images, and redirect rules in the kernel. See
     * [capture.md](capture.md).
     */
    public static final Key ORIGINAL_DESTINATION = Key.mappingOrOff(CLUSTERS, "original-destination");

    /**
     * Makes the cluster a template that creates a cluster for each requested host. {@code {host}} and {@code {port}} in
     * {@code resolver} and {@code tls} are replaced. Routes refer to it with {@code cluster-from: host}. See
     * [outbound.md](outbound.md).
     */
    public static final Key TEMPLATE = Key.optional(CLUSTERS, "template", "mapping with `hosts`");

    /**
     * Maximum number of connections per endpoint and event loop, active and idle. Requests that need a further
     * connection get 503. The default is higher than {@code in-flight} of a listener, so that it does not act as a
     * second limit.
     */
    public static final ValueKey<Integer> MAX_CONNECTIONS =
            Key.count(CLUSTERS, "max-connections", 1, Key.MAX_COUNT, 1_024);

    /**
     * Maximum number of idle connections per endpoint and event loop. The default is lower if {@code max-connections}
     * is. It keeps the connections of a busy application open, and closes additional connections after a burst.
     */
    public static final ValueKey<Integer> MAX_IDLE_CONNECTIONS =
            Key.count(CLUSTERS, "max-idle-connections", "0 to `max-connections`", 0, Key.MAX_COUNT, 64);

    /** Limits for endpoint connections, for exchanges of all listeners. */
    public static final Key LIMITS = Key.mapping(CLUSTERS, "limits");

    /**
     * Maximum size of all field lines of a response. If it is larger, the client gets 502. The default is higher than
     * for clients because you control the endpoints. It protects the heap from a faulty endpoint.
     */
    public static final ValueKey<Integer> HEADER_BLOCK =
            Key.heldBytes(LIMITS, "header-block", ClusterConfig.HEADER_BLOCK_BYTES);

    /**
     * Number of bytes buffered per direction of an endpoint connection before the sidecar stops reading from the
     * sender. This includes request data that waits for the endpoint, and response data from a single read.
     */
    public static final ValueKey<Integer> BUFFER = Key.heldBytes(LIMITS, "buffer", ClusterConfig.BUFFER_BYTES);

    /** TLS for endpoint connections; {@code off} means plain HTTP. See [tls.md](tls.md). */
    public static final Key TLS = Key.mappingOrOff(CLUSTERS, "tls");

    /**
     * Protocol for endpoint connections. {@code http2} means HTTP/2, negotiated with ALPN if {@code tls} is set and
     * with prior knowledge otherwise. {@code auto} uses ALPN to select the version, and requires {@code tls}. {@code
     * client} uses the protocol of the client, see [http2.md](http2.md#http2-to-endpoints). {@code tcp} is for
     * listeners with {@code protocol: tcp}, which can only use such clusters, see [tcp.md](tcp.md).
     */
    public static final Key PROTOCOL =
            Key.text(CLUSTERS, "protocol", "`http1`, `http2`, `auto`, `client` or `tcp`", "http1");

    /**
     * Version of the PROXY header to send at the start of each endpoint connection, before TLS. Because the header
     * identifies the client, clients do not share connections. See [tcp.md](tcp.md#proxy-protocol-to-endpoints).
     */
    public static final Key PROXY_PROTOCOL = Key.text(CLUSTERS, "proxy-protocol", "`off`, `v1` or `v2`", Key.OFF);

    /** Limits for HTTP/2 connections to endpoints. Requires a {@code protocol} that can use HTTP/2. */
    public static final Key HTTP2 = Key.mapping(CLUSTERS, "http2");

    /** Timeouts for endpoint connections. */
    public static final Key TIMEOUTS = Key.mapping(CLUSTERS, "timeouts");

    /**
     * Connect timeout. After that, the client gets 504. Endpoints are on the same machine or network, where one second
     * means a lost packet and its retransmission.
     */
    public static final ValueKey<Long> CONNECT = Key.durationNs(TIMEOUTS, "connect", ClusterConfig.CONNECT_TIMEOUT_NS);

    /**
     * Maximum time from the end of the request to the end of the header section of the final response. After that, the
     * client gets 504. Users do not wait longer than the default.
     */
    public static final ValueKey<Long> RESPONSE_HEADER = Key.durationNs(TIMEOUTS, "response-header", 30_000_000_000L);

    /**
     * Time to keep an idle connection. The default is shorter than that of common application servers, so that the
     * endpoint rarely closes the connection first.
     */
    public static final ValueKey<Long> IDLE = Key.durationNs(TIMEOUTS, "idle", ClusterConfig.IDLE_NS);

    /**
     * Maximum age of a connection, reduced by up to 10 % at random. The connection closes after the current exchange;
     * upgraded connections stay open. With {@code tls}, the default is {@code 1h}, because endpoints are only verified
     * when a connection is opened.
     */
    public static final ValueKey<Long> MAX_CONNECTION_AGE = Key.durationOrOffNs(TIMEOUTS, "max-connection-age");

    /**
     * Enables TCP keepalive for endpoint connections. The {@code net.ipv4.tcp_keepalive_*} settings in the network
     * namespace of the sidecar define the times. By default, Linux sends the first probe after two hours.
     */
    public static final Choice<Boolean> TCP_KEEP_ALIVE = Key.flag(TIMEOUTS, "tcp-keep-alive", false);

    /**
     * Retries failed requests, unless the route has separate {@code retries}. Idempotent requests are retried for the
     * listed statuses, if no endpoint is reachable, if the connection closes before the response, or if {@code
     * timeouts.try} expires. Other requests are only retried if none of their bytes were sent. A budget limits retries
     * to 20 % of the requests of the cluster plus 10 per second. See [resilience.md](resilience.md).
     */
    public static final Key RETRIES = Key.mappingOrOff(CLUSTERS, "retries");

    /**
     * Ejects endpoints with failed requests, and adds them again later. A status of 500 or above and any fault of the
     * endpoint are failures. Disconnected clients and deadlines set by the caller are not.
     */
    public static final Key ACCRUAL = Key.mappingOrOff(CLUSTERS, "accrual");

    /**
     * Percentage of usable endpoints below which the sidecar uses all endpoints, because so many unusable endpoints
     * indicate an error.
     */
    public static final ValueKey<Integer> PANIC_BELOW = Key.count(CLUSTERS, "panic-below", 0, 100, 50);

    /**
     * Limits on the connections and requests of the cluster, over all event loops. With {@code original-destination},
     * they apply to each destination.
     */
    public static final Key BREAKERS = Key.mappingOrOff(CLUSTERS, "breakers");

    /** Actively checks the health of each endpoint, and ejects endpoints that fail. */
    public static final Key HEALTH_CHECK = Key.mappingOrOff(CLUSTERS, "health-check");

    private ClusterKeys() {}
}
