package io.remora.engine;

import io.remora.config.model.ClusterConfig;
import io.remora.http.Failure;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The cluster of one host, or the reason that there is none. Owner: its {@link HostClusters}, under whose lock it is.
 */
final class HostCluster {
    /** The template makes no name of the host. */
    static final HostCluster NOWHERE = new HostCluster("", null, Failure.NO_ROUTE);

    static final HostCluster TOO_MANY = new HostCluster("", null, Failure.TOO_MANY_HOSTS);

    /** The template is gone. */
    static final HostCluster ENDED = new HostCluster("", null, Failure.NOT_RESOLVED);

    final String key;
    final @Nullable ClusterConfig config;
    /** The failure of requests, null where it can be opened. */
    final @Nullable Failure refusal;
    /** The loops that know it. */
    final List<LoopHosts> loops = new ArrayList<>(1);
    /** The cluster, null until it is open. */
    @Nullable
    EngineCluster cluster;

    /** True once no loop knows it any more, or where it could not be opened. */
    boolean gone;

    HostCluster(String key, ClusterConfig config) {
        this(key, config, null);
    }

    private HostCluster(String key, @Nullable ClusterConfig config, @Nullable Failure refusal) {
        this.key = key;
        this.config = config;
        this.refusal = refusal;
    }
}
