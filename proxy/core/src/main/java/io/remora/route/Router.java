package io.remora.route;

import io.remora.config.model.PathConfig;
import io.remora.config.model.RouteConfig;
import io.remora.http.Authority;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.HostName;
import io.remora.http.Octets;
import io.remora.http.RequestHead;
import io.remora.template.HostTemplate;
import io.remora.text.HostText;
import io.remora.trust.Identities;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A listener's routing table: the first route that matches wins. Immutable. */
public final class Router {
    private final RouteConfig[] routes;
    /** Names of the fields that each route matches, and their values. */
    private final FieldName[][] names;

    private final String[][] values;
    /** Hosts by route in their canonical spelling, null for any; a suffix begins with an asterisk. */
    private final @Nullable String[] matchedHosts;

    private final boolean byHost;
    private final PathConfig pathConfig;
    private final PathTable paths;
    /** Required identities by route, null for a route without; null where no route requires any. */
    private @Nullable Identities @Nullable [] identities;
    /** Hosts by route that the route is limited to, null for all hosts; null where no route is limited. */
    private @Nullable HostPatterns @Nullable [] hosts;

    /** Makes a table with the default rule for paths. */
    public Router(List<RouteConfig> routes) {
        this(routes, PathConfig.DEFAULT);
    }

    /**
     * @param routes whose paths are in the spelling that is matched
     */
    public Router(List<RouteConfig> routes, PathConfig paths) {
        this.routes = routes.toArray(new RouteConfig[0]);
        this.names = new FieldName[this.routes.length][];
        this.values = new String[this.routes.length][];
        this.matchedHosts = new String[this.routes.length];
        boolean anyHost = false;
        for (int i = 0; i < this.routes.length; i++) {
            Map<String, String> headers = this.routes[i].match().headers();
            names[i] = new FieldName[headers.size()];
            values[i] = headers.values().toArray(new String[0]);
            int field = 0;
            for (String name : headers.keySet()) {
                names[i][field++] = FieldName.of(name);
            }
            String host = this.routes[i].match().host();
            matchedHosts[i] = host == null ? null : HostText.canonical(host);
            anyHost |= host != null;
            addIdentity(i, this.routes[i].match().identity());
            addHosts(i, this.routes[i]);
        }
        this.byHost = anyHost;
        this.pathConfig = paths;
        this.paths = new PathTable(this.routes, paths);
    }

    private void addIdentity(int route, @Nullable String pattern) {
        if (pattern == null) {
            return;
        }
        if (identities == null) {
            identities = new Identities[routes.length];
        }
        identities[route] = new Identities(List.of(pattern));
    }

    private void addHosts(int route, RouteConfig config) {
        HostTemplate template = config.has(RouteConfig.TEMPLATE) ? HostTemplate.of(config.options()) : null;
        if (template == null) {
            return;
        }
        if (hosts == null) {
            hosts = new HostPatterns[routes.length];
        }
        hosts[route] = new HostPatterns(template.hosts());
    }

    public PathConfig pathConfig() {
        return pathConfig;
    }

    /** Tells if some paths take another route than others. */
    public boolean isByPath() {
        return paths.isDivided();
    }

    /**
     * Returns where the path of a target ends, -1 where it may have a spelling that takes another route, or that the listener refuses.
     *
     * <p>Cost: one pass over the path; none on a listener to which it makes no difference.
     */
    public int endOfPlainPath(Octets target) {
        return paths.endOfPlain(target);
    }

    /**
     * Returns the route that takes the request by its path as sent, null where none does.
     *
     * @param pathEnd where the path of its target ends
     * @param identity that the client has proved, null for none
     */
    public @Nullable RouteConfig route(RequestHead head, int pathEnd, @Nullable String identity) {
        return route(head, head.target.array, head.target.start, pathEnd, identity);
    }

    /** Returns the route that takes the request if this is its path, null where none does. */
    public @Nullable RouteConfig route(RequestHead head, Octets path, @Nullable String identity) {
        return route(head, path.array, path.start, path.end, identity);
    }

    private @Nullable RouteConfig route(
            RequestHead head, byte[] octets, int pathStart, int pathEnd, @Nullable String identity) {
        String host = byHost ? HostText.canonical(Authority.hostOf(head.authority)) : "";
        for (int i = 0; i < routes.length; i++) {
            String method = routes[i].match().method();
            if ((method == null || method.equals(head.method))
                    && matchesHost(matchedHosts[i], host)
                    && paths.matches(i, octets, pathStart, pathEnd)
                    && matchesFields(names[i], values[i], head.fields)
                    && matchesIdentity(i, identity)
                    && isThereFor(i, head)) {
                return routes[i];
            }
        }
        return null;
    }

    private boolean matchesIdentity(int route, @Nullable String identity) {
        Identities wanted = identities == null ? null : identities[route];
        return wanted == null || wanted.contain(identity);
    }

    private boolean isThereFor(int route, RequestHead head) {
        HostPatterns patterns = hosts == null ? null : hosts[route];
        if (patterns == null) {
            return true;
        }
        String host = HostName.of(head.authority);
        return host != null && patterns.contain(host);
    }

    private static boolean matchesHost(@Nullable String pattern, String host) {
        if (pattern == null) {
            return true;
        }
        if (pattern.charAt(0) != '*') {
            return pattern.equals(host);
        }
        // "*.example.com": at least one label stands before the suffix with its dot
        return host.length() >= pattern.length()
                && host.regionMatches(host.length() - pattern.length() + 1, pattern, 1, pattern.length() - 1);
    }

    private static boolean matchesFields(FieldName[] names, String[] values, Fields fields) {
        for (int i = 0; i < names.length; i++) {
            if (!fields.contains(names[i], values[i], false)) {
                return false;
            }
        }
        return true;
    }
}
