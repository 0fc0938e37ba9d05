package io.remora.route;

import io.remora.config.RouteConfig;
import io.remora.config.RouteMatch;
import io.remora.http.HostField;
import io.remora.http.RequestHead;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A listener's routing table: the first route that matches wins. Immutable. */
public final class Router {
    private final RouteConfig[] routes;

    public Router(List<RouteConfig> routes) {
        this.routes = routes.toArray(new RouteConfig[0]);
    }

    /** The route that takes the request, null where none does. */
    public @Nullable RouteConfig route(RequestHead head) {
        for (RouteConfig route : routes) {
            if (matches(route.match(), head)) {
                return route;
            }
        }
        return null;
    }

    private static boolean matches(RouteMatch match, RequestHead head) {
        return (match.method() == null || match.method().equals(head.method.name()))
                && (match.host() == null || matchesHost(match.host(), HostField.hostOf(head.authority)))
                && (match.path() == null || match.path().equals(head.path()))
                && (match.pathPrefix() == null || matchesPrefix(match.pathPrefix(), head.path()))
                && matchesHeaders(match.headers(), head);
    }

    private static boolean matchesHost(String pattern, String host) {
        if (pattern.charAt(0) != '*') {
            return pattern.equals(host);
        }
        // "*.example.com": at least one label stands before the suffix with its dot
        return host.length() >= pattern.length()
                && host.regionMatches(host.length() - pattern.length() + 1, pattern, 1, pattern.length() - 1);
    }

    private static boolean matchesPrefix(String prefix, String path) {
        return path.startsWith(prefix)
                && (path.length() == prefix.length()
                        || prefix.charAt(prefix.length() - 1) == '/'
                        || path.charAt(prefix.length()) == '/');
    }

    private static boolean matchesHeaders(Map<String, String> wanted, RequestHead head) {
        for (Map.Entry<String, String> header : wanted.entrySet()) {
            if (!head.fields.contains(header.getKey(), header.getValue(), false)) {
                return false;
            }
        }
        return true;
    }
}
