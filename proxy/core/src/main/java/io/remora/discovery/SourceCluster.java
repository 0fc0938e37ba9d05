package io.remora.discovery;

import io.remora.config.model.Address;
import io.remora.config.model.ClusterConfig;
import io.remora.config.model.Limits;
import io.remora.config.model.Options;
import io.remora.tls.config.ClusterTls;
import java.util.List;

/** The cluster by which the servers of a source are reached: connected to, verified and looked up as any other. */
public final class SourceCluster {
    /** One question is under way, and the connection of one before may still be closing. */
    private static final int CONNECTIONS = 4;

    private SourceCluster() {}

    public static ClusterConfig of(SourceServer server, String name, List<Address> servers, long responseHeaderNs) {
        Address first = servers.get(0);
        boolean listed = servers.size() > 1 || !SourceServer.isName(first);
        ClusterTls tls = server.tls();
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
                        .with(ClusterTls.TLS, tls)
                        .with(ClusterConfig.MAX_AGE_NS, tls == null ? null : Long.valueOf(Limits.VERIFIED_AGE_NS))
                        .with(
                                ResolverConfig.RESOLVER,
                                listed ? null : ResolverConfig.ofName(first.host(), first.port())));
    }
}
