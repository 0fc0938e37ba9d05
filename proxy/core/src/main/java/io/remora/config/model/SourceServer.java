package io.remora.config.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The server of a source of endpoints over HTTP, with the credentials that the sidecar shows it.
 *
 * @param addresses IP addresses, or one name; empty where the environment of a pod says it
 * @param tokenFile a file with the token that is shown to the server, null for none
 * @param tls null for plain HTTP
 */
public record SourceServer(
        List<Address> addresses,
        @Nullable String tokenFile,
        @Nullable ClusterTls tls) {
    /** One question is under way, and the connection of one before may still be closing. */
    private static final int CONNECTIONS = 4;

    /** The cluster by which the servers are reached: connected to, verified and looked up as any other. */
    public ClusterConfig cluster(String name, List<Address> servers, long responseHeaderNs) {
        boolean listed = servers.size() > 1 || !isName(servers.get(0));
        return new ClusterConfig(
                name,
                listed ? servers : List.of(),
                CONNECTIONS,
                1,
                ClusterConfig.HEADER_BLOCK_BYTES,
                ClusterConfig.BUFFER_BYTES,
                ClusterConfig.CONNECT_TIMEOUT_NS,
                responseHeaderNs,
                ClusterConfig.IDLE_NS,
                Options.NONE
                        .with(ClusterConfig.TLS, tls)
                        .with(ClusterConfig.MAX_AGE_NS, tls == null ? null : Long.valueOf(Limits.VERIFIED_AGE_NS))
                        .with(
                                ClusterConfig.RESOLVER,
                                listed
                                        ? null
                                        : ResolverConfig.ofName(
                                                servers.get(0).host(),
                                                servers.get(0).port())));
    }

    /**
     * Returns whether an address is a name to look up in DNS. An IP address is none, and neither is this host itself.
     */
    public static boolean isName(Address address) {
        return address.host().indexOf(':') < 0 && !Address.isIpV4(address.host()) && !address.isLoopback();
    }
}
