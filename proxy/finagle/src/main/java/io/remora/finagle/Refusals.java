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
        refuse(listener.tcp(), "listeners." + listener.name() + ".protocol: tcp", "its connections carry requests");
        refuse(
                listener.detects(),
                "listeners." + listener.name() + ".protocol: detect",
                "its connections carry requests");
        for (RouteConfig route : listener.routes()) {
            String key = "listeners." + listener.name() + ".routes[].";
            refuse(route.has(ClusterConfig.RETRIES), key + "retries", "Finagle repeats by its own rules");
            refuse(route.options().has(HEDGE), key + "hedge", "Finagle gets one attempt for each request");
        }
    }

    private void cluster(ClusterConfig cluster) {
        String key = "clusters." + cluster.name() + '.';
        refuse(cluster.http2() != null, key + "protocol", "it speaks HTTP/1.1 only");
        refuse(cluster.tcp(), key + "protocol: tcp", "its connections carry requests");
        refuse(cluster.captures(), key + "original-destination", "its connections go to names");
        refuse(
                cluster.has(ClusterConfig.PROXY_VERSION),
                key + "proxy-protocol",
                "its connections are shared among clients");
        for (Address endpoint : cluster.endpoints()) {
            refuse(endpoint.isUnix(), key + "endpoints[]: " + endpoint, "its connections go to ports");
        }
        BalancerConfig balancer = BalancerConfig.of(cluster);
        if (balancer != null) {
            balancer(balancer, key + "balancer.");
        }
        for (EndpointConfig endpoint : cluster.details()) {
            refuse(!endpoint.zone().isEmpty(), key + "endpoints[].zone", "its balancers know no zones");
            refuse(endpoint.priority() != 0, key + "endpoints[].priority", "its balancers know no priorities");
        }
        ResilienceConfig resilience = ResilienceConfig.of(cluster);
        if (resilience != null) {
            refuse(cluster.has(ClusterConfig.RETRIES), key + "retries", "Finagle repeats by its own rules");
            refuse(resilience.breakers() != null, key + "breakers", "its bounds are those of each pool");
            refuse(resilience.healthCheck() != null, key + "health-check", "it learns by requests only");
            refuse(
                    resilience.panicPercent() != PANIC_BELOW,
                    key + "panic-below",
                    "its balancers use the others only where none is left");
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
                "it judges each endpoint by itself");
    }

    private void balancer(BalancerConfig balancer, String key) {
        refuse(balancer.kind() == BalancerConfig.Kind.MAGLEV, key + "kind: maglev", "it has no such balancer");
        refuse(balancer.slowStartNs() != Limits.UNLIMITED, key + "slow-start", "its balancers have none");
        refuse(!balancer.window().name().isEmpty(), key + "name", "its aperture begins anywhere");
        refuse(!balancer.zones().zone().isEmpty(), key + "zone", "its balancers know no zones");
        refuse(balancer.zones().zoneLoad() != 0, key + "zone-load", "its balancers know no zones");
        refuse(balancer.zones().spillBelow() != SPILL_BELOW, key + "spill-below", "its balancers know no priorities");
        refuse(balancer.window().peers() != 0, key + "peers", "its place among them is not set");
    }
}
