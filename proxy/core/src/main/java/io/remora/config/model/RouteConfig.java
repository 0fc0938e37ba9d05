package io.remora.config.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One rule of a listener's routing table.
 *
 * @param name shown in the access log; the file's own, or {@code LISTENER/INDEX}
 * @param cluster the name of a cluster that exists; empty where the route answers by itself
 * @param policy null where attempts are neither repeated nor timed
 * @param options that are off by default: the constants of this class, those of {@link ListenerConfig} that say so, and
 *     those of features
 */
public record RouteConfig(
        String name,
        RouteMatch match,
        String cluster,
        @Nullable RoutePolicy policy,
        Options options) {
    /** The template of a cluster for each host; the route takes those hosts only. */
    public static final Option<?> TEMPLATE = ClusterConfig.TEMPLATE;

    /** Delegations for the route's requests, in an engine that knows such names. */
    public static final Option<PlacedText> DTAB = Option.of("dtab");

    /** The same route once for each of several clusters, as if that were its only one. */
    public static final Option<List<RouteConfig>> CHOICES = Option.of("choices");

    /** A route that only forwards. */
    public RouteConfig(String name, RouteMatch match, String cluster) {
        this(name, match, cluster, null, Options.NONE);
    }

    /** Returns the name of a route that has none of its own, by its position from 1. */
    public static String nameByDefault(String listener, int position) {
        return listener + "/" + position;
    }

    /** Returns whether one of these routes has one of these options. */
    public static boolean anyHas(List<RouteConfig> routes, Option<?>... any) {
        for (RouteConfig route : routes) {
            if (route.has(any)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether it has one of these options. */
    public boolean has(Option<?>... any) {
        for (Option<?> option : any) {
            if (options.has(option)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether it answers by itself, so that it forwards nothing. */
    public boolean answers() {
        return cluster.isEmpty();
    }

    // ---- the options that more than one place asks for

    /** Returns the identities of which a client needs one, empty where any client may come. */
    public List<String> requiredIdentities() {
        return options.get(ListenerConfig.REQUIRED_IDENTITIES, List.of());
    }

    /** Returns the delegations, null for none. */
    public @Nullable PlacedText dtab() {
        return options.get(DTAB);
    }

    /** Returns the route once for each of its clusters. */
    public List<RouteConfig> each() {
        List<RouteConfig> choices = choices();
        return choices.isEmpty() ? List.of(this) : choices;
    }

    /** Returns the routes of which a request has one, by its cluster; empty for one cluster. */
    public List<RouteConfig> choices() {
        return options.get(CHOICES, List.of());
    }
}
