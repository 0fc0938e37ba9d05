package io.remora.discovery;

import io.remora.config.keys.Key;
import io.remora.config.keys.KeyWriter;
import io.remora.config.keys.PlacedOption;
import io.remora.config.model.ClusterConfig;
import io.remora.config.model.Limits;
import io.remora.config.model.Option;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The source of a cluster's endpoints where the cluster does not list them: a file, DNS, Consul or Kubernetes.
 *
 * @param file with a list of endpoints, null for none
 * @param dns null for none
 * @param consul null for none
 * @param kubernetes null for none
 * @param keepLastNs for which the last good answer holds once there is none; 0 not at all, {@link Limits#UNLIMITED} for
 *     good
 * @param pending requests per event loop that wait for the first answer
 * @param pendingTimeoutNs for which they wait; beyond it 503
 */
public record ResolverConfig(
        @Nullable String file,
        @Nullable DnsSource dns,
        @Nullable ConsulSource consul,
        @Nullable KubernetesSource kubernetes,
        long keepLastNs,
        int pending,
        long pendingTimeoutNs)
        implements PlacedOption {
    public static final Option<ResolverConfig> RESOLVER = Option.of(ClusterConfig.RESOLVER.toString());

    /** {@link #pending} where the configuration says nothing. */
    public static final int PENDING = 128;

    /** {@link #pendingTimeoutNs} where the configuration says nothing. */
    public static final long PENDING_TIMEOUT_NS = 5_000_000_000L;

    /** Returns the source of a cluster's endpoints, null where it lists them. */
    public static @Nullable ResolverConfig of(ClusterConfig cluster) {
        return cluster.options().get(RESOLVER);
    }

    /** Returns a resolver of a host's addresses in DNS, with the defaults of the configuration. */
    public static ResolverConfig ofName(String host, int port) {
        DnsSource dns = new DnsSource(
                host, port, DnsSource.Family.AUTO, List.of(), DnsSource.MIN_REFRESH_NS, DnsSource.MAX_REFRESH_NS);
        return new ResolverConfig(null, dns, null, null, Limits.UNLIMITED, PENDING, PENDING_TIMEOUT_NS);
    }

    @Override
    public void show(KeyWriter out, Key key) {
        ResolverPart.show(out, this);
    }

    /** The value of the metrics' label. */
    public String kind() {
        if (consul != null) {
            return "consul";
        }
        return kubernetes != null ? "kubernetes" : file != null ? "file" : "dns";
    }

    /** Returns the server that is read over HTTP; null where there is none. */
    public @Nullable SourceServer server() {
        if (consul != null) {
            return consul.server();
        }
        return kubernetes == null ? null : kubernetes.server();
    }

    /** Returns the source's name, for a person to read. */
    public String source() {
        if (consul != null) {
            return "consul:" + consul.service();
        }
        if (kubernetes != null) {
            String namespace = kubernetes.namespace();
            return "kubernetes:" + (namespace == null ? "" : namespace + "/") + kubernetes.service();
        }
        return dns == null ? "file:" + file : "dns:" + dns.name() + (dns.isService() ? "" : ":" + dns.port());
    }
}
