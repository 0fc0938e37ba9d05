package io.remora.config.text;

import io.remora.config.keys.ClusterKeys;
import io.remora.config.model.Address;
import io.remora.config.model.ClusterConfig;
import io.remora.config.yaml.EndpointPart;

/** The {@code endpoints} and the {@code balancer} of clusters for {@link ConfigText}. */
final class BalancerText {
    private final ConfigText text;

    BalancerText(ConfigText text) {
        this.text = text;
    }

    void cluster(ClusterConfig cluster) {
        if (cluster.captures()) {
            text.placed(cluster.options(), ClusterKeys.ORIGINAL_DESTINATION);
            return;
        }
        if (cluster.dest() != null) {
            text.text(ClusterKeys.DEST, cluster.dest().text());
        } else if (!text.part(cluster.options(), ClusterConfig.RESOLVER, ClusterKeys.RESOLVER)) {
            listed(cluster);
        }
        if (!text.part(cluster.options(), ClusterConfig.BALANCER, ClusterKeys.BALANCER)) {
            text.plain(ClusterKeys.BALANCER, ClusterKeys.BALANCER.fallbackText());
        }
    }

    private void listed(ClusterConfig cluster) {
        text.section(ClusterKeys.ENDPOINTS);
        if (cluster.details().isEmpty()) {
            for (Address endpoint : cluster.endpoints()) {
                text.entry(ClusterKeys.ENDPOINTS, endpoint.toString());
            }
        } else {
            EndpointPart.show(text, cluster.endpoints(), cluster.details());
        }
    }
}
