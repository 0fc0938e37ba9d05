package io.remora.config.text;

import io.remora.config.keys.BalancerKeys;
import io.remora.config.keys.CaptureKeys;
import io.remora.config.keys.ClusterKeys;
import io.remora.config.keys.EndpointKeys;
import io.remora.config.keys.Key;
import io.remora.config.model.Address;
import io.remora.config.model.BalancerConfig;
import io.remora.config.model.BalancerConfig.Hash;
import io.remora.config.model.BalancerConfig.Kind;
import io.remora.config.model.BreakerConfig;
import io.remora.config.model.CaptureConfig;
import io.remora.config.model.ClusterConfig;
import io.remora.config.model.EndpointConfig;
import io.remora.config.model.ResolverConfig;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The {@code endpoints} and the {@code balancer} of clusters for {@link ConfigText}. */
final class BalancerText {
    private final ConfigText text;

    BalancerText(ConfigText text) {
        this.text = text;
    }

    void cluster(ClusterConfig cluster) {
        ResolverConfig resolver = cluster.resolver();
        CaptureConfig capture = cluster.capture();
        if (capture != null) {
            capture(capture);
            return;
        }
        if (cluster.dest() != null) {
            text.text(ClusterKeys.DEST, cluster.dest().text());
        } else if (resolver != null) {
            new ResolverText(text).resolver(resolver);
        } else {
            listed(cluster);
        }
        BalancerConfig balancer = cluster.balancer();
        if (balancer == null) {
            text.plain(ClusterKeys.BALANCER, ClusterKeys.BALANCER.fallbackText());
        } else {
            balancer(balancer);
        }
    }

    private void listed(ClusterConfig cluster) {
        text.section(ClusterKeys.ENDPOINTS);
        if (cluster.details().isEmpty()) {
            for (Address endpoint : cluster.endpoints()) {
                text.entry(ClusterKeys.ENDPOINTS, endpoint.toString());
            }
        } else {
            endpoints(cluster.endpoints(), cluster.details());
        }
    }

    private void balancer(BalancerConfig balancer) {
        text.section(ClusterKeys.BALANCER);
        text.text(BalancerKeys.KIND, balancer.kind().text);
        text.put(BalancerKeys.SLOW_START, balancer.slowStartNs());
        if (balancer.kind() == Kind.PEAK_EWMA) {
            text.put(BalancerKeys.DECAY, balancer.decayNs());
        } else if (balancer.kind() == Kind.MAGLEV) {
            hash(balancer);
        } else if (balancer.kind() == Kind.APERTURE) {
            window(balancer.window());
        }
        BalancerConfig.Zones zones = balancer.zones();
        unlessEmpty(BalancerKeys.ZONE, zones.zone());
        if (zones.zoneLoad() > 0) {
            text.plain(BalancerKeys.ZONE_LOAD, Integer.toString(zones.zoneLoad()));
        }
        text.put(BalancerKeys.SPILL_BELOW, zones.spillBelow());
    }

    private void hash(BalancerConfig balancer) {
        if (balancer.hashName() == null) {
            text.plain(BalancerKeys.HASH, balancer.hash() == Hash.PATH ? "path" : "client");
        } else {
            text.section(BalancerKeys.HASH);
            boolean header = balancer.hash() == Hash.HEADER;
            text.text(header ? BalancerKeys.HASH_HEADER : BalancerKeys.HASH_COOKIE, balancer.hashName());
        }
        text.plain(
                BalancerKeys.LOAD_BOUND, balancer.loadBound() == 0 ? Key.OFF : Integer.toString(balancer.loadBound()));
    }

    private void window(BalancerConfig.Window window) {
        text.put(BalancerKeys.SIZE, window.size());
        if (window.peers() > 0) {
            text.plain(BalancerKeys.PEERS, Integer.toString(window.peers()));
            text.plain(BalancerKeys.POSITION, Integer.toString(window.position()));
        }
        unlessEmpty(BalancerKeys.NAME, window.name());
    }

    private void unlessEmpty(Key key, @Nullable String value) {
        if (value != null && !value.isEmpty()) {
            text.text(key, value);
        }
    }

    private void endpoints(List<Address> endpoints, List<EndpointConfig> details) {
        for (int i = 0; i < details.size(); i++) {
            text.item(EndpointKeys.ADDRESS, endpoints.get(i).toString());
            text.put(EndpointKeys.WEIGHT, details.get(i).weight());
            unlessEmpty(EndpointKeys.ZONE, details.get(i).zone());
            text.put(EndpointKeys.PRIORITY, details.get(i).priority());
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
