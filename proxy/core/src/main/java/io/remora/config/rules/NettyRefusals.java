package io.remora.config.rules;

import io.remora.config.model.AnnounceConfig;
import io.remora.config.model.ClusterConfig;
import io.remora.config.model.FinagleConfig;
import io.remora.config.model.ListenerConfig;
import io.remora.config.model.PlacedText;
import io.remora.config.model.PluginsConfig;
import io.remora.config.model.Problem;
import io.remora.config.model.ProxyConfig;
import io.remora.config.model.RequestDtabConfig;
import io.remora.config.model.RouteConfig;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Refuses the parts of a configuration that are for another engine than the sidecar's own. */
public final class NettyRefusals {
    private static final String NO_NAMES = "it knows no such names";

    private final String configuration;
    private final List<Problem> problems = new ArrayList<>();

    private NettyRefusals(String configuration) {
        this.configuration = configuration;
    }

    /**
     * Returns a problem for each such key; none where the engine can do all of it.
     *
     * @param configuration the configuration's name, as the reader knows it
     */
    public static List<Problem> of(String configuration, ProxyConfig config) {
        NettyRefusals refusals = new NettyRefusals(configuration);
        PluginsConfig plugins = config.plugins();
        FinagleConfig finagle = config.finagle();
        refusals.refuse(plugins == null ? null : plugins.directory(), "plugins", "it takes no filters");
        refusals.refuse(finagle == null ? null : finagle.place(), "finagle", "it is another engine's");
        for (ListenerConfig listener : config.listeners()) {
            RequestDtabConfig asked = listener.requestDtab();
            PlacedText place = asked == null ? null : asked.place();
            refusals.refuse(place, "listeners." + listener.name() + ".request-dtab", NO_NAMES);
            AnnounceConfig announce = listener.announce();
            refusals.refuse(
                    announce == null || announce.names().isEmpty()
                            ? null
                            : announce.names().get(0),
                    "listeners." + listener.name() + ".announce",
                    "it announces nothing");
            for (RouteConfig route : listener.routes()) {
                refusals.refuse(route.dtab(), "listeners." + listener.name() + ".routes[].dtab", NO_NAMES);
            }
        }
        for (ClusterConfig cluster : config.clusters().values()) {
            refusals.refuse(cluster.dest(), "clusters." + cluster.name() + ".dest", NO_NAMES);
        }
        return refusals.problems;
    }

    private void refuse(@Nullable PlacedText given, String key, String why) {
        if (given != null) {
            problems.add(given.problem(configuration, "engine netty: " + key + " is not supported, " + why));
        }
    }
}
