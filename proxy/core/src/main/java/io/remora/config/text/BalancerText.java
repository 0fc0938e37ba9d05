package io.remora.config.text;

import io.remora.config.keys.CaptureKeys;
import io.remora.config.keys.ClusterKeys;
import io.remora.config.keys.Key;
import io.remora.config.model.Address;
import io.remora.config.model.BreakerConfig;
import io.remora.config.model.CaptureConfig;
import io.remora.config.model.ClusterConfig;
import io.remora.config.yaml.EndpointPart;

/** The {@code endpoints} and the {@code balancer} of clusters for {@link ConfigText}. */
final class BalancerText {
    private final ConfigText text;

    BalancerText(ConfigText text) {
        this.text = text;
    }

    void cluster(ClusterConfig cluster) {
        CaptureConfig capture = cluster.capture();
        if (capture != null) {
            capture(capture);
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

    private void capture(CaptureConfig capture) {
        text.section(ClusterKeys.ORIGINAL_DESTINATION);
        text.number(CaptureKeys.DESTINATIONS, capture.destinations());
        text.number(CaptureKeys.IDLE, capture.idleNs());
        BreakerConfig total = capture.total();
        if (total == null) {
            text.plain(CaptureKeys.TOTAL, Key.OFF);
            return;
        }
        text.section(CaptureKeys.TOTAL);
        text.number(CaptureKeys.CONNECTIONS, total.connections());
        text.number(CaptureKeys.PENDING, total.pending());
        text.number(CaptureKeys.IN_FLIGHT, total.inFlight());
    }
}
