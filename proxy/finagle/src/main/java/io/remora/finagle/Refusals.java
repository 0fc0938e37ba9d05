package io.remora.finagle;

import io.remora.cluster.AccrualConfig;
import io.remora.cluster.BalancerConfig;
import io.remora.cluster.ResilienceConfig;
import io.remora.config.model.Address;
import io.remora.config.model.ClusterConfig;
import io.remora.config.model.EndpointConfig;
import io.remora.config.model.Limits;
import io.remora.config.model.ListenerConfig;
import io.remora.config.model.Option;
import io.remora.config.model.ProxyConfig;
import io.remora.config.model.RouteConfig;
import io.remora.discovery.ResolverConfig;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Lists the parts of a configuration that Finagle's stack cannot do, so that nothing is left out in silence. A key that
 * has a default is refused where it has another value.
 */
final class Refusals {
    // defaults of keys, for which Finagle has rules of its own
    private static final int SPILL_BELOW = 70;
    private static final int PANIC_BELOW = 50;
    private static final int MAX_EJECTED = 50;

    /** The option of routes that the feature of this name owns. */
    private static final Option<?> HEDGE = Option.of("hedge");

    private final List<String> lines = new ArrayList<>();

    private Refusals() {}

    /** A line for each key, in the order of the file; none where all of it can be done. */
    static List<String> of(ProxyConfig config) {
        Refusals refusals = new Refusals();
        for (ListenerConfig listener : config.listeners()) {
            refusals.listener(listener);
        }
        for (ClusterConfig cluster : config.clusters().values()) {
            refusals.cluster(cluster);
        }
        return refusals.lines;
    }

    private void refuse(boolean asked, String key, String why) {
        if (asked) {
            lines.add("engine finagle: " + key + " is not supported, " + why);
        }
    }

    private void listener(ListenerConfig listener) {
        refuse(listener.tcp(), "listeners." + listener.name() + ".protocol: tcp", "it supports HTTP only");
        refuse(listener.detects(), "listeners." + listener.name() + ".protocol: detect", "it supports HTTP only");
        for (RouteConfig route : listener.routes()) {
            String key = "listeners." + listener.name() + ".routes[].";
            refuse(route.has(ClusterConfig.RETRIES), key + "retries", "Finagle uses separate retry rules");
            refuse(route.options().has(HEDGE), key + "hedge", "Finagle receives one attempt per request");
        }
    }

    private void cluster(ClusterConfig cluster) {
        String key = "clusters." + cluster.name() + '.';
        refuse(cluster.http2() != null, key + "protocol", "it speaks HTTP/1.1 only");
        refuse(cluster.tcp(), key + "protocol: tcp", "it supports HTTP only");
        refuse(cluster.captures(), key + "original-destination", "it connects to names only");
        refuse(cluster.has(ClusterConfig.PROXY_VERSION), key + "proxy-protocol", "clients share its connections");
        for (Address endpoint : cluster.endpoints()) {
            refuse(endpoint.isUnix(), key + "endpoints[]: " + endpoint, "it connects to HOST:PORT only");
        }
        BalancerConfig balancer = BalancerConfig.of(cluster);
        if (balancer != null) {
            balancer(balancer, key + "balancer.");
        }
        for (EndpointConfig endpoint : cluster.details()) {
            refuse(!endpoint.zone().isEmpty(), key + "endpoints[].zone", "its balancers do not support zones");
            refuse(endpoint.priority() != 0, key + "endpoints[].priority", "its balancers do not support priorities");
        }
        ResilienceConfig resilience = ResilienceConfig.of(cluster);
        if (resilience != null) {
            refuse(cluster.has(ClusterConfig.RETRIES), key + "retries", "Finagle uses separate retry rules");
            refuse(resilience.breakers() != null, key + "breakers", "its limits apply to each pool");
            refuse(resilience.healthCheck() != null, key + "health-check", "it only uses passive health checks");
            refuse(
                    resilience.panicPercent() != PANIC_BELOW,
                    key + "panic-below",
                    "its balancers use ejected endpoints only if no others are left");
            accrual(resilience.accrual(), key + "accrual.");
        }
        ResolverConfig resolver = ResolverConfig.of(cluster);
        refuse(
                resolver != null && resolver.keepLastNs() != Limits.UNLIMITED,
                key + "resolver.keep-last",
                "its last answer stays");
    }

    private void accrual(@Nullable AccrualConfig accrual, String key) {
        refuse(
                accrual != null && accrual.maxEjectedPercent() != MAX_EJECTED,
                key + "max-ejected",
                "it evaluates each endpoint separately");
    }

    private void balancer(BalancerConfig balancer, String key) {
        refuse(balancer.kind() == BalancerConfig.Kind.MAGLEV, key + "kind: maglev", "it has no such balancer");
        refuse(balancer.slowStartNs() != Limits.UNLIMITED, key + "slow-start", "its balancers have none");
        refuse(!balancer.window().name().isEmpty(), key + "name", "the start of its aperture is random");
        refuse(!balancer.zones().zone().isEmpty(), key + "zone", "its balancers do not support zones");
        refuse(balancer.zones().zoneLoad() != 0, key + "zone-load", "its balancers do not support zones");
        refuse(
                balancer.zones().spillBelow() != SPILL_BELOW,
                key + "spill-below",
                "its balancers do not support priorities");
        refuse(balancer.window().peers() != 0, key + "peers", "its position among them cannot be set");
    }
}
