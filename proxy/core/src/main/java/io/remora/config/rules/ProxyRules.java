package io.remora.config.rules;

import io.remora.config.model.Address;
import io.remora.config.model.ClusterConfig;
import io.remora.config.model.ListenerConfig;
import io.remora.config.model.ProxyConfig;
import io.remora.text.Ascii;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;

/**
 * Rules on a whole configuration, wherever it came from: a file, a control plane or a test. Loaded only where there are several
 * listeners, or a part has more than it must.
 */
public final class ProxyRules {
    private ProxyRules() {}

    /** Refuses a header for which an endpoint has no address. */
    private static void judge(ClusterConfig cluster, String path, List<Flaw> flaws) {
        for (Address endpoint : cluster.endpoints()) {
            if (cluster.has(ClusterConfig.PROXY_VERSION) && endpoint.isUnix()) {
                String what = "proxy-protocol towards " + endpoint;
                flaws.add(new Flaw(path + ".proxy-protocol", what + ", expected HOST:PORT endpoints"));
            }
        }
    }

    /**
     * Returns the flaws, in the order of the clusters and then of the listeners.
     *
     * @param clusters that parts may name
     * @param features judges a listener, which stands at a path, by the rules of the features that it has
     */
    public static List<Flaw> judge(
            ProxyConfig config, NamedClusters clusters, BiFunction<ListenerConfig, String, List<Flaw>> features) {
        List<Flaw> flaws = new ArrayList<>();
        for (ClusterConfig cluster : config.clusters().values()) {
            judge(cluster, "clusters[" + cluster.name() + "]", flaws);
        }
        List<String> names = new ArrayList<>();
        for (ListenerConfig listener : config.listeners()) {
            String path = "listeners[" + names.size() + "]";
            if (names.contains(listener.name())) {
                String what = "the name " + Ascii.quote(listener.name()) + " is used by another listener";
                flaws.add(new Flaw(path + ".name", what + ", expected a different one"));
            }
            names.add(listener.name());
            flaws.addAll(ListenerRules.judge(listener, clusters, path));
            flaws.addAll(features.apply(listener, path));
        }
        return flaws;
    }
}
