package io.remora.config.yaml;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The listener or route in which a feature's key stands, while its feature reads it. Loaded only where one is given. */
public final class FeatureSection {
    public final Section section;
    public final Problems problems;

    /** The route's name, null for a listener. */
    public final @Nullable String route;

    /** True where connections are tunnels. */
    public final boolean tcp;

    private final RouteReader routes;

    FeatureSection(Section section, @Nullable String route, boolean tcp, RouteReader routes, Problems problems) {
        this.section = section;
        this.route = route;
        this.tcp = tcp;
        this.routes = routes;
        this.problems = problems;
    }

    /** Returns the names that parts of this feature have in the listener and its routes so far; a part with a name adds it. */
    public List<String> names(String feature) {
        return routes.names(feature);
    }

    /** Judges the name of a cluster that copies of requests go to: it exists, and is one cluster. */
    public void judgeCopies(@Nullable Node cluster) {
        routes.copies(cluster);
    }
}
