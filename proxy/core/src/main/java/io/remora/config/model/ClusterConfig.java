package io.remora.config.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The endpoints that serve one application, and the bounds and times of connections to them.
 *
 * @param endpoints one or more; none where an option says where they come from
 * @param maxConnections per endpoint and event loop, leased and idle together; beyond it 503
 * @param maxIdleConnections kept per endpoint and event loop
 * @param headerBlockBytes all field lines of a response together; beyond it 502
 * @param bufferBytes held per direction before the sending side is no longer read
 * @param connectTimeoutNs beyond it 504
 * @param responseHeaderNs from the end of the request to the final response's header section; beyond it 504
 * @param idleNs after which a connection that nobody leases is closed
 * @param options that are off by default: the constants of this class
 */
public record ClusterConfig(
        String name,
        List<Address> endpoints,
        int maxConnections,
        int maxIdleConnections,
        int headerBlockBytes,
        int bufferBytes,
        long connectTimeoutNs,
        long responseHeaderNs,
        long idleNs,
        Options options) {
    /** The longest time that a connection is used for. */
    public static final Option<Long> MAX_AGE_NS = Option.of("max-connection-age");

    /** Set where connections to endpoints are TLS; {@code tls.config} has the details. */
    public static final Option<?> TLS = Option.of("tls");

    /** Least loaded where it is off. */
    public static final Option<?> BALANCER = Option.of("balancer");

    /** One for each of the endpoints, none where each is only an address. */
    public static final Option<List<EndpointConfig>> DETAILS = Option.of("endpoints");

    /** Retries of the routes that say nothing of their own. */
    public static final Option<?> RETRIES = Option.of("retries");

    /** Ejection of endpoints whose requests fail. */
    public static final Option<?> ACCRUAL = Option.of("accrual");

    public static final Option<?> BREAKERS = Option.of("breakers");

    public static final Option<?> HEALTH_CHECK = Option.of("health-check");

    /** Per cent of the endpoints; where fewer are in use, all are. There with any of the four options above. */
    public static final Option<Integer> PANIC_PERCENT = Option.of("panic-below");

    /** The source of endpoints that the configuration does not list. */
    public static final Option<?> RESOLVER = Option.of("resolver");

    /** The kind of that source, where the sidecar asks a server for it over HTTP. */
    public static final Option<String> SOURCE = Option.of("source");

    /** The TLS of connections to that server. */
    public static final Option<?> SOURCE_TLS = Option.of("source-tls");

    /** The template of a cluster for each host. */
    public static final Option<?> TEMPLATE = Option.of("template");

    public static final Option<Multiplexing> HTTP2 = Option.of("http2");

    /** A name that says where the endpoints are, in an engine that knows such names. */
    public static final Option<PlacedText> DEST = Option.of("dest");

    /** True where each connection carries a tunnel. */
    public static final Option<Boolean> TCP = Option.of("tcp");

    /** Set where each connection begins with a PROXY header; {@code proxyprotocol} has the details. */
    public static final Option<?> PROXY_VERSION = Option.of("proxy-protocol");

    /** True where the kernel probes silent endpoints. */
    public static final Option<Boolean> TCP_KEEP_ALIVE = Option.of("tcp-keep-alive");

    /** Set where the original destinations of redirected connections are the endpoints; {@code cluster} has the details. */
    public static final Option<?> CAPTURE = Option.of("original-destination");

    /** {@link #headerBlockBytes} where the configuration says nothing. */
    public static final int HEADER_BLOCK_BYTES = 64 << 10;

    /** {@link #bufferBytes} where the configuration says nothing. */
    public static final int BUFFER_BYTES = 32 << 10;

    /** {@link #connectTimeoutNs} where the configuration says nothing. */
    public static final long CONNECT_TIMEOUT_NS = 1_000_000_000L;

    /** {@link #idleNs} where the configuration says nothing. */
    public static final long IDLE_NS = 60_000_000_000L;

    /** Returns the cluster with other options. */
    public ClusterConfig with(Options others) {
        return new ClusterConfig(
                name,
                endpoints,
                maxConnections,
                maxIdleConnections,
                headerBlockBytes,
                bufferBytes,
                connectTimeoutNs,
                responseHeaderNs,
                idleNs,
                others);
    }

    public boolean has(Option<?> option) {
        return options.has(option);
    }

    /** Tells if an endpoint that has vanished without a word is noticed while nothing is sent to it. */
    public boolean watchesEndpoints() {
        Multiplexing http2 = http2();
        boolean pings = http2 != null && http2.alone() && http2.keepAliveNs() != Limits.UNLIMITED;
        return tcpKeepAlive() || pings || isOnThisHost();
    }

    // the kernel of this host closes the connections that a process leaves behind
    private boolean isOnThisHost() {
        for (Address endpoint : endpoints) {
            if (!endpoint.isUnix()) {
                return false;
            }
        }
        return !endpoints.isEmpty();
    }

    /**
     * Returns the name of the cluster through which its source is read; null where the source is not read over HTTP.
     */
    @Nullable
    String sourceName() {
        String kind = options.get(SOURCE);
        return kind == null ? null : name + '/' + kind;
    }

    // ---- the options that more than one place asks for

    /** {@link Limits#UNLIMITED} for no bound. */
    public long maxAgeNs() {
        return options.get(MAX_AGE_NS, Limits.UNLIMITED);
    }

    public List<EndpointConfig> details() {
        return options.get(DETAILS, List.of());
    }

    /** Returns the settings of HTTP/2, null where only HTTP/1.1 is spoken. */
    public @Nullable Multiplexing http2() {
        return options.get(HTTP2);
    }

    /** Returns the name that Finagle binds, null for none. */
    public @Nullable PlacedText dest() {
        return options.get(DEST);
    }

    public boolean tcp() {
        return options.has(TCP);
    }

    public boolean tcpKeepAlive() {
        return options.has(TCP_KEEP_ALIVE);
    }

    /** Returns whether the endpoints are where redirected connections were to go. */
    public boolean captures() {
        return options.has(CAPTURE);
    }
}
