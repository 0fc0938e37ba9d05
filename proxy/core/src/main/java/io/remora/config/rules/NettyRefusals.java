package io.remora.config.rules;

import io.remora.config.model.ClusterConfig;
import io.remora.config.model.ListenerConfig;
import io.remora.config.model.Option;
import io.remora.config.model.Options;
import io.remora.config.model.Placed;
import io.remora.config.model.PlacedText;
import io.remora.config.model.Problem;
import io.remora.config.model.ProxyConfig;
import io.remora.config.model.RouteConfig;
import java.util.ArrayList;
import java.util.List;

/** Refuses the parts of a configuration that are for another engine than the sidecar's own, without knowing what they say. */
public final class NettyRefusals {
    private static final String NO_NAMES = "it has no such names";

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
        refusals.refuse(config.options(), ProxyConfig.PLUGINS, "", "it takes no filters");
        refusals.refuse(config.options(), ProxyConfig.FINAGLE, "", "it belongs to another engine");
        for (ListenerConfig listener : config.listeners()) {
            String path = "listeners." + listener.name() + '.';
            refusals.refuse(listener.options(), ListenerConfig.REQUEST_DTAB, path, NO_NAMES);
            refusals.refuse(listener.options(), ListenerConfig.ANNOUNCE, path, "it announces nothing");
            for (RouteConfig route : listener.routes()) {
                refusals.refuse(route.options(), RouteConfig.DTAB, path + "routes[].", NO_NAMES);
            }
        }
        for (ClusterConfig cluster : config.clusters().values()) {
            refusals.refuse(cluster.options(), ClusterConfig.DEST, "clusters." + cluster.name() + '.', NO_NAMES);
        }
        return refusals.problems;
    }

    private void refuse(Options options, Option<?> option, String path, String why) {
        Object given = options.get(option);
        PlacedText place = given instanceof Placed part ? part.place() : (PlacedText) given;
        if (place != null) {
            String what = "engine netty: " + path + option + " is not supported, " + why;
            problems.add(place.problem(configuration, what));
        }
    }
}
