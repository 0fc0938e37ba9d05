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

    /** Names that the listener and its routes have given away so far, for a feature whose parts have names. */
    public final List<String> names;

    private final RouteReader routes;

    FeatureSection(
            Section section,
            @Nullable String route,
            boolean tcp,
            List<String> names,
            RouteReader routes,
            Problems problems) {
        this.section = section;
        this.route = route;
        this.tcp = tcp;
        this.names = names;
        this.routes = routes;
        this.problems = problems;
    }

    /** Judges the name of a cluster that copies of requests go to: it exists, and is one cluster. */
    public void judgeCopies(@Nullable Node cluster) {
        routes.copies(cluster);
    }
}
