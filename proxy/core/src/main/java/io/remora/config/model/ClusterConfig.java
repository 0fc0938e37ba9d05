package io.remora.config.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The endpoints that serve one application, and how connections to them are kept.
 *
 * @param endpoints one or more; none where {@code resolver} or {@code dest} says where they come from
 * @param maxConnections per endpoint and event loop, leased and idle together; beyond it 503
 * @param maxIdleConnections kept per endpoint and event loop
 * @param headerBlockBytes all field lines of a response together; beyond it 502
 * @param bufferBytes held per direction before the sending side is no longer read
 * @param connectTimeoutNs beyond it 504
 * @param responseHeaderNs from the end of the request to the final response's header section; beyond it 504
 * @param idleNs a connection nobody leases for so long is closed
 * @param maxAgeNs for which a connection is used; {@link Limits#UNLIMITED} for no bound
 * @param tls null for plain HTTP
 * @param balancer null for the default
 * @param details one for each of the endpoints, none where each is only an address
 * @param resilience null where nothing is done about failures
 * @param resolver null where {@code endpoints} are all there are
 * @param template null unless it stands for a cluster for each host
 * @param http2 how HTTP/2 is spoken; null where only HTTP/1.1 is
 * @param dest a name that says where the endpoints are, in an engine that knows such names; null for none
 * @param tcp whether each connection carries a tunnel
 * @param proxyVersion of the PROXY header that each connection begins with; 0 for none
 * @param tcpKeepAlive whether the kernel asks a silent endpoint if it is still there
 * @param capture where endpoints are what redirected connections were to reach; null for others
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
        long maxAgeNs,
        @Nullable ClusterTls tls,
        @Nullable BalancerConfig balancer,
        List<EndpointConfig> details,
        @Nullable ResilienceConfig resilience,
        @Nullable ResolverConfig resolver,
        @Nullable HostTemplate template,
        @Nullable ClusterHttp2 http2,
        @Nullable PlacedText dest,
        boolean tcp,
        int proxyVersion,
        boolean tcpKeepAlive,
        @Nullable CaptureConfig capture) {
    /** {@link #headerBlockBytes} where the configuration says nothing. */
    public static final int HEADER_BLOCK_BYTES = 64 << 10;

    /** {@link #bufferBytes} where the configuration says nothing. */
    public static final int BUFFER_BYTES = 32 << 10;

    /** {@link #connectTimeoutNs} where the configuration says nothing. */
    public static final long CONNECT_TIMEOUT_NS = 1_000_000_000L;

    /** {@link #idleNs} where the configuration says nothing. */
    public static final long IDLE_NS = 60_000_000_000L;

    /** As the configuration says it. */
    public static String proxyText(int version) {
        return switch (version) {
            case 1 -> "v1";
            case 2 -> "v2";
            default -> "off";
        };
    }

    /** Tells if an endpoint that has vanished without a word is noticed while nothing is sent to it. */
    public boolean watchesEndpoints() {
        boolean pings =
                http2 != null && http2.spoken() == ClusterHttp2.Spoken.HTTP2 && http2.keepAliveNs() != Limits.UNLIMITED;
        return tcpKeepAlive || pings || isOnThisHost();
    }

    // whose kernel closes what a process leaves behind
    private boolean isOnThisHost() {
        for (Address endpoint : endpoints) {
            if (!endpoint.isUnix()) {
                return false;
            }
        }
        return !endpoints.isEmpty();
    }

    /** The name of the cluster by which its source is asked; null where nobody is asked by HTTP. */
    @Nullable
    String sourceName() {
        return resolver == null || resolver.server() == null ? null : name + '/' + resolver.kind();
    }

    /** How the connections to who knows the endpoints are protected; null for plain HTTP, and where nobody is asked by HTTP. */
    public @Nullable ClusterTls sourceTls() {
        SourceServer server = resolver == null ? null : resolver.server();
        return server == null ? null : server.tls();
    }
}
