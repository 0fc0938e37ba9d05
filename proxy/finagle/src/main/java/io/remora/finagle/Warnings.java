package io.remora.finagle;

import io.remora.cluster.BalancerConfig;
import io.remora.cluster.ResilienceConfig;
import io.remora.config.model.ClusterConfig;
import io.remora.config.model.EndpointConfig;
import io.remora.config.model.ProxyConfig;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Lists the parts of a configuration that Finagle's stack does otherwise than the default engine. */
final class Warnings {
    private final List<String> lines = new ArrayList<>();

    private Warnings() {}

    /** A line for each key and difference, in the order of the file. */
    static List<String> of(ProxyConfig config) {
        Warnings warnings = new Warnings();
        for (ClusterConfig cluster : config.clusters().values()) {
            warnings.cluster(cluster, config.workers());
        }
        return warnings.lines;
    }

    private void warn(boolean asked, String key, Difference difference) {
        if (asked) {
            lines.add("engine finagle: " + key + ": " + difference.text());
        }
    }

    private void cluster(ClusterConfig cluster, int workers) {
        String key = "clusters." + cluster.name() + '.';
        BalancerConfig balancer = BalancerConfig.of(cluster);
        warn(balancer != null && balancer.kind() == BalancerConfig.Kind.PEAK_EWMA, key + "balancer", Difference.PAGE);
        warn(differ(cluster.details()), key + "endpoints[].weight", Difference.WEIGHTS);
        ResilienceConfig resilience = ResilienceConfig.of(cluster);
        if (resilience != null && resilience.accrual() != null) {
            String accrual = key + "accrual";
            warn(true, accrual, Difference.ALL_OUT);
            warn(workers > 1, accrual, Difference.EACH_LOOP);
            warn(true, accrual, Difference.AVOIDED);
            warn(true, accrual, Difference.PAGE);
        }
    }

    // one of weight 0 gets nothing with either engine
    private static boolean differ(List<EndpointConfig> endpoints) {
        Set<Integer> weights = new HashSet<>();
        for (EndpointConfig endpoint : endpoints) {
            if (endpoint.weight() > 0) {
                weights.add(endpoint.weight());
            }
        }
        return weights.size() > 1;
    }
}
