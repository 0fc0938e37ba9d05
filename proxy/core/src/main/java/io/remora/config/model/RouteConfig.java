package io.remora.config.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One rule of a listener's routing table.
 *
 * @param name shown in the access log; the file's own, or {@code LISTENER/INDEX}
 * @param cluster the name of a cluster that exists; empty where the route answers by itself
 * @param requiredIdentities one of which a client must have; empty where anybody may come
 * @param policy null where attempts are neither repeated nor timed
 * @param template of the cluster where that stands for one for each host; the route takes those hosts only
 * @param dtab delegations for its requests, in an engine that knows such names; null for none
 * @param clients who is let in by address; null for anybody
 * @param rateLimits in the order in which they are asked; empty where nothing is limited
 * @param actions null where requests go to the cluster as they came
 */
public record RouteConfig(
        String name,
        RouteMatch match,
        String cluster,
        List<String> requiredIdentities,
        @Nullable RoutePolicy policy,
        @Nullable HostTemplate template,
        @Nullable PlacedText dtab,
        @Nullable ClientsConfig clients,
        List<RateLimitConfig> rateLimits,
        @Nullable RouteActions actions) {
    /** One without actions. */
    public RouteConfig(
            String name,
            RouteMatch match,
            String cluster,
            List<String> requiredIdentities,
            @Nullable RoutePolicy policy,
            @Nullable HostTemplate template,
            @Nullable PlacedText dtab,
            @Nullable ClientsConfig clients,
            List<RateLimitConfig> rateLimits) {
        this(name, match, cluster, requiredIdentities, policy, template, dtab, clients, rateLimits, null);
    }

    /** One that anybody may take. */
    public RouteConfig(String name, RouteMatch match, String cluster) {
        this(name, match, cluster, List.of(), null, null, null, null, List.of(), null);
    }

    /** The same where its requests go there. */
    public RouteConfig to(
            String other,
            @Nullable RoutePolicy own,
            @Nullable HostTemplate hosts,
            @Nullable PlacedText names,
            @Nullable RouteActions acts) {
        return new RouteConfig(name, match, other, requiredIdentities, own, hosts, names, clients, rateLimits, acts);
    }
}
