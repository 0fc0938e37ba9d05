package io.remora.config.yaml;

import io.remora.config.keys.ActionKeys;
import io.remora.config.keys.Key;
import io.remora.config.keys.ListenerKeys;
import io.remora.config.keys.Units;
import io.remora.config.model.Address;
import io.remora.config.model.AnswerConfig;
import io.remora.config.model.Options;
import io.remora.config.model.RedirectConfig;
import io.remora.config.model.RewriteConfig;
import io.remora.config.model.RouteConfig;
import io.remora.config.model.RouteMatch;
import io.remora.config.model.SplitConfig;
import io.remora.text.Ascii;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads and judges a route's actions. Loaded only where one is configured. */
final class ActionReader {
    private static final int MAX_BODY_CHARS = 4_096;
    private static final int MAX_PREFIX_CHARS = 1_024;
    private static final int MAX_PORT = 65_535;
    private static final int MAX_CLUSTERS = 32;
    private static final int NO_CONTENT = 204;
    private static final int RESET_CONTENT = 205;
    private static final int NOT_MODIFIED = 304;
    /** Of a URI's path beside letters, digits and what is encoded (RFC 3986 3.3). */
    private static final String PATH_CHARS = "/-._~!$&'()*+,;=:@";

    private final Section route;
    private final RouteMatch match;
    private final @Nullable FeatureKeys features;
    private final Problems problems;

    /**
     * @param route that has some of it
     * @param features their keys; null for none
     */
    ActionReader(Section route, RouteMatch match, @Nullable FeatureKeys features, Problems problems) {
        this.features = features;
        this.route = route;
        this.match = match;
        this.problems = problems;
    }

    /** All but the clusters. */
    Options read() {
        FieldEditReader edits = new FieldEditReader(problems);
        RewriteConfig rewrite = rewrite();
        Options all = Options.NONE
                .with(RouteConfig.REWRITE, rewrite)
                .with(RouteConfig.REQUEST_HEADERS, edits.request(route))
                .with(RouteConfig.RESPONSE_HEADERS, edits.response(route))
                .with(RouteConfig.ANSWER, answer());
        Node host = route.value(ListenerKeys.ROUTE_CLUSTER_FROM);
        if (host != null && rewrite != null && rewrite.host() != null) {
            problems.at(host, "cluster-from beside rewrite.host, expected one of the two");
        }
        return all;
    }

    private @Nullable RewriteConfig rewrite() {
        if (!route.has(ListenerKeys.REWRITE)) {
            return null;
        }
        Section section = route.section(ListenerKeys.REWRITE);
        Node host = section.text(ActionKeys.REWRITE_HOST);
        RewriteConfig rewrite = new RewriteConfig(
                prefix(section, ActionKeys.REWRITE_PREFIX), host == null ? null : Names.authority(host, problems));
        if (rewrite.prefix() == null && rewrite.host() == null && section.node.children.isEmpty()) {
            problems.at(section.node, "rewrite of nothing, expected prefix, host or both");
        }
        section.end();
        return rewrite;
    }

    /** A path that can be put before any other. */
    private @Nullable String prefix(Section section, Key key) {
        Node node = section.text(key);
        String path = node == null ? null : Names.path(node, key.name, problems);
        if (node == null || path == null) {
            return null;
        }
        String why = null;
        if (path.length() > MAX_PREFIX_CHARS) {
            why = " is too long, expected at most " + MAX_PREFIX_CHARS + " characters";
        } else if (path.startsWith("//")) {
            why = " begins like the name of another host, expected a single '/'";
        } else if (!isPath(path)) {
            why = " is no path of a URI, expected other characters as %XX";
        } else if (hasDots(path)) {
            why = " has a dot segment, expected the path that it leads to";
        } else if (match.path() == null && match.pathPrefix() == null && "/".equals(path)) {
            why = " changes nothing, expected another path, or match with prefix or path";
        }
        if (why != null) {
            problems.at(node, key.name + " " + node.quoted() + why);
        }
        return why == null ? path : null;
    }

    private static boolean isPath(String path) {
        for (int i = 0; i < path.length(); i++) {
            char c = path.charAt(i);
            if (c == '%') {
                boolean encoded = i + 2 < path.length() && isHex(path.charAt(i + 1)) && isHex(path.charAt(i + 2));
                if (!encoded) {
                    return false;
                }
            } else if (!Ascii.isAlphanumeric(c) && PATH_CHARS.indexOf(c) < 0) {
                return false;
            }
        }
        return true;
    }

    private static boolean isHex(char c) {
        return Character.digit(c, 16) >= 0 && c < 0x80;
    }

    private static boolean hasDots(String path) {
        String whole = path.replace("%2e", ".").replace("%2E", ".") + "/";
        return whole.contains("/./") || whole.contains("/../");
    }

    private static boolean isHost(String host) {
        return Address.isHost(host) || Address.isIpV6(host);
    }

    // ---- answers

    private @Nullable AnswerConfig answer() {
        boolean redirects = route.has(ListenerKeys.REDIRECT);
        boolean responds = route.has(ListenerKeys.RESPOND);
        if (!redirects && !responds) {
            return null;
        }
        Node second = route.value(ListenerKeys.RESPOND);
        if (redirects && second != null) {
            problems.at(second, "respond beside redirect, expected one of the two");
        }
        String what = redirects ? ListenerKeys.REDIRECT.name : ListenerKeys.RESPOND.name;
        refuse(
                what,
                ListenerKeys.ROUTE_CLUSTER,
                ListenerKeys.ROUTE_CLUSTERS,
                ListenerKeys.ROUTE_CLUSTER_FROM,
                ListenerKeys.STICKY,
                ListenerKeys.REWRITE,
                ListenerKeys.REQUEST_HEADERS,
                ListenerKeys.ROUTE_RETRIES,
                ListenerKeys.ROUTE_TIMEOUTS,
                ListenerKeys.ROUTE_DTAB);
        for (String key : features == null ? List.<String>of() : features.ofForwardingRoutes()) {
            refuse(what, key, route.value(key));
        }
        return redirects
                ? redirect(route.section(ListenerKeys.REDIRECT))
                : respond(route.section(ListenerKeys.RESPOND));
    }

    private void refuse(String what, Key... keys) {
        for (Key key : keys) {
            refuse(what, key.name, route.value(key));
        }
    }

    private void refuse(String what, String key, @Nullable Node given) {
        if (given != null && !given.isText(Key.OFF)) {
            problems.at(given, key + " beside " + what + ", which forwards nothing");
        }
    }

    private AnswerConfig redirect(Section section) {
        int status = section.get(ActionKeys.REDIRECT_STATUS);
        Node given = section.value(ActionKeys.REDIRECT_STATUS);
        if (given != null && status > 303 && status < 307) {
            problems.at(given, "status is " + given.quoted() + ", expected 301, 302, 303, 307 or 308");
        }
        Node scheme = section.text(ActionKeys.REDIRECT_SCHEME);
        if (scheme != null && !scheme.isText("http") && !scheme.isText("https")) {
            problems.at(scheme, "scheme is " + scheme.quoted() + ", expected http or https");
        }
        Node host = section.text(ActionKeys.REDIRECT_HOST);
        if (host != null && !isHost(host.text)) {
            problems.at(host, "host is " + host.quoted() + ", expected a host without a port");
        }
        RedirectConfig redirect = new RedirectConfig(
                scheme == null ? null : scheme.text,
                host == null ? null : host.text,
                port(section),
                prefix(section, ActionKeys.REDIRECT_PREFIX));
        boolean nothing = scheme == null && host == null && !section.has(ActionKeys.REDIRECT_PORT);
        if (nothing && !section.has(ActionKeys.REDIRECT_PREFIX)) {
            problems.at(section.node, "redirect to where the client is, expected scheme, host, port or prefix");
        }
        section.end();
        return new AnswerConfig(status, redirect, "", "");
    }

    private int port(Section section) {
        Node node = section.text(ActionKeys.REDIRECT_PORT);
        String key = ActionKeys.REDIRECT_PORT.name;
        return node == null ? 0 : (int) node.number(Units.NONE, key, 0, 1, MAX_PORT, problems);
    }

    private AnswerConfig respond(Section section) {
        int status = section.get(ActionKeys.RESPOND_STATUS);
        Node body = section.text(ActionKeys.RESPOND_BODY);
        if (body != null) {
            judgeBody(body, status);
        }
        Node type = section.text(ActionKeys.RESPOND_CONTENT_TYPE);
        String contentType =
                type == null ? null : Names.headerValue(type, ActionKeys.RESPOND_CONTENT_TYPE.name, problems);
        section.end();
        return new AnswerConfig(
                status,
                null,
                body == null ? "" : body.text,
                contentType == null ? ActionKeys.RESPOND_CONTENT_TYPE.fallbackText() : contentType);
    }

    private void judgeBody(Node body, int status) {
        if (status == NO_CONTENT || status == RESET_CONTENT || status == NOT_MODIFIED) {
            problems.at(body, "body with status " + status + ", which has none");
        }
        boolean ascii = body.text.length() <= MAX_BODY_CHARS;
        for (int i = 0; i < body.text.length(); i++) {
            char c = body.text.charAt(i);
            ascii &= c >= ' ' && c <= '~' || c == '\n' || c == '\r' || c == '\t';
        }
        if (!ascii) {
            String expected = ", expected at most " + MAX_BODY_CHARS + " characters of ASCII";
            problems.at(body, "body is " + body.quoted() + expected);
        }
    }

    // ---- clusters

    /** The clusters by weight; the problems of a list that is none have been reported. */
    static List<Node> clusters(Section route, List<Integer> weights, Problems problems) {
        Node cluster = route.value(ListenerKeys.ROUTE_CLUSTER);
        if (cluster != null) {
            problems.at(cluster, "cluster beside clusters, expected one of the two");
        }
        Node from = route.value(ListenerKeys.ROUTE_CLUSTER_FROM);
        if (from != null) {
            problems.at(from, "cluster-from beside clusters, expected one of the two");
        }
        List<Node> names = new ArrayList<>();
        List<String> seen = new ArrayList<>();
        long sum = 0;
        for (Node node : route.requiredList(ListenerKeys.ROUTE_CLUSTERS, "a list of clusters with their weights")) {
            Section section = Section.of(node, "item of clusters", problems);
            Node name = section.requiredText(ActionKeys.SPLIT_CLUSTER, "the name of a cluster");
            int weight = section.get(ActionKeys.SPLIT_WEIGHT);
            section.end();
            if (name == null) {
                continue;
            }
            if (seen.contains(name.text)) {
                problems.at(name, "cluster " + name.quoted() + " a second time, expected each once");
            }
            seen.add(name.text);
            names.add(name);
            weights.add(weight);
            sum += weight;
        }
        Node list = route.value(ListenerKeys.ROUTE_CLUSTERS);
        if (list != null && !names.isEmpty() && sum == 0) {
            problems.at(list, "clusters without any weight, expected one above 0");
        }
        if (list != null && names.size() > MAX_CLUSTERS) {
            problems.at(list, "clusters has " + names.size() + " items, expected at most " + MAX_CLUSTERS);
        }
        return names;
    }

    /** Of a route with several clusters. */
    static SplitConfig.Sticky sticky(Section route, boolean tcp, Problems problems) {
        Node node = route.value(ListenerKeys.STICKY);
        if (node == null || node.isText(Key.OFF)) {
            return SplitConfig.Sticky.OFF;
        }
        if (node.kind == Node.Kind.TEXT) {
            if (!node.isText("client")) {
                problems.at(node, "sticky is " + node.quoted() + ", expected client, or header or cookie below it");
            }
            return SplitConfig.Sticky.CLIENT;
        }
        Section section = Section.of(node, ListenerKeys.STICKY.name, problems);
        Node header = section.value(ActionKeys.STICKY_HEADER);
        Node cookie = section.value(ActionKeys.STICKY_COOKIE);
        if (header == null && cookie == null) {
            problems.at(section.node, "sticky by nothing, expected header or cookie");
        } else if (header != null && cookie != null) {
            problems.at(cookie, "cookie beside header, expected one of the two");
        } else if (tcp) {
            problems.at(section.node, "sticky by a field where no HTTP is spoken, expected client");
        }
        section.end();
        return cookie == null ? SplitConfig.Sticky.HEADER : SplitConfig.Sticky.COOKIE;
    }

    static @Nullable String stickyName(Section route, Problems problems) {
        Node node = route.value(ListenerKeys.STICKY);
        if (node == null || node.kind != Node.Kind.MAPPING) {
            return null;
        }
        Section section = route.section(ListenerKeys.STICKY);
        Node header = section.value(ActionKeys.STICKY_HEADER);
        Node name = header != null ? header : section.value(ActionKeys.STICKY_COOKIE);
        return name == null ? null : Names.token(name, header != null ? "header" : "cookie", problems);
    }
}
