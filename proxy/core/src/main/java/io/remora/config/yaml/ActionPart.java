package io.remora.config.yaml;

import io.remora.config.keys.Choice;
import io.remora.config.keys.Key;
import io.remora.config.keys.KeyWriter;
import io.remora.config.keys.ListenerKeys;
import io.remora.config.keys.Units;
import io.remora.config.keys.ValueKey;
import io.remora.config.model.Address;
import io.remora.config.model.AnswerConfig;
import io.remora.config.model.ClusterConfig;
import io.remora.config.model.FieldEdit;
import io.remora.config.model.FieldValue;
import io.remora.config.model.Options;
import io.remora.config.model.RedirectConfig;
import io.remora.config.model.RewriteConfig;
import io.remora.config.model.RouteConfig;
import io.remora.config.model.RouteMatch;
import io.remora.config.model.SplitConfig;
import io.remora.text.Ascii;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A route's actions: their keys in the order of the page, read, judged and shown. Loaded only where one is configured. */
public final class ActionPart {
    /** The name of the cluster. Each appears once. */
    public static final Key SPLIT_CLUSTER = Key.required(ListenerKeys.ROUTE_CLUSTERS, "cluster", "name of a cluster");

    /** The cluster's share, in proportion to the sum of all weights; 0 for none, while the others take what comes. */
    public static final ValueKey<Integer> SPLIT_WEIGHT =
            Key.count(ListenerKeys.ROUTE_CLUSTERS, "weight", 0, Key.MAX_COUNT, 1);

    /** The header whose first line decides. */
    public static final Key STICKY_HEADER = Key.optional(ListenerKeys.STICKY, "header", "field name");

    /** The cookie whose value decides. */
    public static final Key STICKY_COOKIE = Key.optional(ListenerKeys.STICKY, "cookie", "token");

    /**
     * The path that the endpoint sees instead of {@code match.prefix}, or of all of {@code match.path}. Without either
     * it is put in front of the path. The query stays. A request whose remaining path has a dot segment, however it is
     * spelled, gets 400.
     */
    public static final Key REWRITE_PREFIX = Key.optional(ListenerKeys.REWRITE, "prefix", "path");

    /** The host that the endpoint sees, with a port if it is to have one. {@code X-Forwarded-Host} has the client's. */
    public static final Key REWRITE_HOST = Key.optional(ListenerKeys.REWRITE, "host", "host, or `host:port`");

    /**
     * Fields that replace those that the client sent. A value may name variables in braces, such as {@code '{client}'};
     * a double brace is the brace itself. If all of a value is empty, the field is left out.
     */
    public static final Key REQUEST_SET =
            Key.optional(ListenerKeys.REQUEST_HEADERS, "set", "mapping of names to values");

    /** Fields that are added behind those that the client sent, with values as in {@code set}. */
    public static final Key REQUEST_APPEND =
            Key.optional(ListenerKeys.REQUEST_HEADERS, "append", "mapping of names to values");

    /** The client's fields that the endpoint does not get. */
    public static final Key REQUEST_REMOVE = Key.optional(ListenerKeys.REQUEST_HEADERS, "remove", "list of names");

    /** Fields that replace those that the endpoint sent, with values as for requests. */
    public static final Key RESPONSE_SET =
            Key.optional(ListenerKeys.RESPONSE_HEADERS, "set", "mapping of names to values");

    /** Fields that are added behind those that the endpoint sent, with values as in {@code set}. */
    public static final Key RESPONSE_APPEND =
            Key.optional(ListenerKeys.RESPONSE_HEADERS, "append", "mapping of names to values");

    /** The endpoint's fields that the client does not get. */
    public static final Key RESPONSE_REMOVE = Key.optional(ListenerKeys.RESPONSE_HEADERS, "remove", "list of names");

    /**
     * Status of the redirect: 301, 302, 303, 307 or 308. By default the method stays, and no client keeps it for good.
     */
    public static final ValueKey<Integer> REDIRECT_STATUS = Key.count(ListenerKeys.REDIRECT, "status", 301, 308, 307);

    /** The new scheme; by default that by which the client came. */
    public static final Key REDIRECT_SCHEME = Key.optional(ListenerKeys.REDIRECT, "scheme", "`http` or `https`");

    /** The new host; by default that of the request. */
    public static final Key REDIRECT_HOST = Key.optional(ListenerKeys.REDIRECT, "host", "host");

    /**
     * The new port. By default it is that of the request if scheme and host stay, and that of the scheme if they do
     * not.
     */
    public static final Key REDIRECT_PORT = Key.optional(ListenerKeys.REDIRECT, "port", "1 to 65535");

    /** Changes the path of the redirect's URI, as {@code rewrite.prefix} does. */
    public static final Key REDIRECT_PREFIX = Key.optional(ListenerKeys.REDIRECT, "prefix", "path");

    /** {@code true} leaves the query out of that URI, as for a new site that has no use for it. By default it stays. */
    public static final Choice<Boolean> REDIRECT_STRIP_QUERY = Key.flag(ListenerKeys.REDIRECT, "strip-query", false);

    /** The status of the response. A status that has no body is sent without one. */
    public static final ValueKey<Integer> RESPOND_STATUS = Key.count(ListenerKeys.RESPOND, "status", 200, 599, 200);

    /** Up to 4 KiB of ASCII text; by default there is none. */
    public static final Key RESPOND_BODY = Key.optional(ListenerKeys.RESPOND, "body", "text");

    /** The media type of the body. */
    public static final Key RESPOND_CONTENT_TYPE =
            Key.text(ListenerKeys.RESPOND, "content-type", "media type", "text/plain; charset=us-ascii");

    private static final int MAX_BODY_CHARS = 4_096;
    private static final int MAX_PREFIX_CHARS = 1_024;
    private static final int MAX_PORT = 65_535;
    private static final int MAX_CLUSTERS = 32;
    private static final int NO_CONTENT = 204;
    private static final int RESET_CONTENT = 205;
    private static final int NOT_MODIFIED = 304;
    /** The characters of a URI's path, apart from letters, digits and encoded octets (RFC 3986 3.3). */
    private static final String PATH_CHARS = "/-._~!$&'()*+,;=:@";

    private final Section route;
    private final RouteMatch match;
    private final FeatureKeys features;
    private final Problems problems;

    /**
     * @param route that has some of it
     * @param features the keys that they own
     */
    ActionPart(Section route, RouteMatch match, FeatureKeys features, Problems problems) {
        this.features = features;
        this.route = route;
        this.match = match;
        this.problems = problems;
    }

    /** Reads all of a route's actions but the clusters. */
    Options read() {
        FieldEditReader edits = new FieldEditReader(problems);
        RewriteConfig rewrite = rewrite();
        Options all = Options.NONE
                .with(RouteConfig.REWRITE, rewrite)
                .with(
                        RouteConfig.REQUEST_HEADERS,
                        edits.read(
                                route, true, ListenerKeys.REQUEST_HEADERS, REQUEST_REMOVE, REQUEST_SET, REQUEST_APPEND))
                .with(
                        RouteConfig.RESPONSE_HEADERS,
                        edits.read(
                                route,
                                false,
                                ListenerKeys.RESPONSE_HEADERS,
                                RESPONSE_REMOVE,
                                RESPONSE_SET,
                                RESPONSE_APPEND))
                .with(RouteConfig.ANSWER, answer());
        Node host = route.value(ListenerKeys.ROUTE_CLUSTER_FROM);
        if (host != null && rewrite != null && rewrite.host() != null) {
            problems.at(host, "cluster-from next to rewrite.host, expected one of the two");
        }
        return all;
    }

    private @Nullable RewriteConfig rewrite() {
        if (!route.has(ListenerKeys.REWRITE)) {
            return null;
        }
        Section section = route.section(ListenerKeys.REWRITE);
        Node host = section.text(REWRITE_HOST);
        RewriteConfig rewrite = new RewriteConfig(
                prefix(section, REWRITE_PREFIX), host == null ? null : Names.authority(host, problems));
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
            problems.at(second, "respond next to redirect, expected one of the two");
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
        for (String key : features.ofForwardingRoutes()) {
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
            problems.at(given, key + " next to " + what + ", which forwards nothing");
        }
    }

    private AnswerConfig redirect(Section section) {
        int status = section.get(REDIRECT_STATUS);
        Node given = section.value(REDIRECT_STATUS);
        if (given != null && status > 303 && status < 307) {
            problems.at(given, "status is " + given.quoted() + ", expected 301, 302, 303, 307 or 308");
        }
        Node scheme = section.text(REDIRECT_SCHEME);
        if (scheme != null && !scheme.isText("http") && !scheme.isText("https")) {
            problems.at(scheme, "scheme is " + scheme.quoted() + ", expected http or https");
        }
        Node host = section.text(REDIRECT_HOST);
        if (host != null && !isHost(host.text)) {
            problems.at(host, "host is " + host.quoted() + ", expected a host without a port");
        }
        RedirectConfig redirect = new RedirectConfig(
                scheme == null ? null : scheme.text,
                host == null ? null : host.text,
                port(section),
                prefix(section, REDIRECT_PREFIX),
                section.get(REDIRECT_STRIP_QUERY));
        boolean nothing = scheme == null && host == null && !section.has(REDIRECT_PORT);
        if (nothing && !section.has(REDIRECT_PREFIX)) {
            problems.at(section.node, "redirect leads back to this listener, expected scheme, host, port or prefix");
        }
        section.end();
        return new AnswerConfig(status, redirect, "", "");
    }

    private int port(Section section) {
        Node node = section.text(REDIRECT_PORT);
        String key = REDIRECT_PORT.name;
        return node == null ? 0 : (int) node.number(Units.NONE, key, 0, 1, MAX_PORT, problems);
    }

    private AnswerConfig respond(Section section) {
        int status = section.get(RESPOND_STATUS);
        Node body = section.text(RESPOND_BODY);
        if (body != null) {
            judgeBody(body, status);
        }
        Node type = section.text(RESPOND_CONTENT_TYPE);
        String contentType = type == null ? null : Names.headerValue(type, RESPOND_CONTENT_TYPE.name, problems);
        section.end();
        return new AnswerConfig(
                status,
                null,
                body == null ? "" : body.text,
                contentType == null ? RESPOND_CONTENT_TYPE.fallbackText() : contentType);
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
            problems.at(cluster, "cluster next to clusters, expected one of the two");
        }
        Node from = route.value(ListenerKeys.ROUTE_CLUSTER_FROM);
        if (from != null) {
            problems.at(from, "cluster-from next to clusters, expected one of the two");
        }
        List<Node> names = new ArrayList<>();
        List<String> seen = new ArrayList<>();
        long sum = 0;
        for (Node node : route.requiredList(ListenerKeys.ROUTE_CLUSTERS, "a list of clusters with their weights")) {
            Section section = Section.of(node, "item of clusters", problems);
            Node name = section.requiredText(SPLIT_CLUSTER, "the name of a cluster");
            int weight = section.get(SPLIT_WEIGHT);
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

    /** Reads the stickiness of a route with several clusters. */
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
        Node header = section.value(STICKY_HEADER);
        Node cookie = section.value(STICKY_COOKIE);
        if (header == null && cookie == null) {
            problems.at(section.node, "sticky by nothing, expected header or cookie");
        } else if (header != null && cookie != null) {
            problems.at(cookie, "cookie next to header, expected one of the two");
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
        Node header = section.value(STICKY_HEADER);
        Node name = header != null ? header : section.value(STICKY_COOKIE);
        return name == null ? null : Names.token(name, header != null ? "header" : "cookie", problems);
    }

    /** Writes a route's several clusters, and the key by which a request stays with its own. */
    public static void show(KeyWriter out, SplitConfig split) {
        out.section(ListenerKeys.ROUTE_CLUSTERS);
        for (int i = 0; i < split.routes().size(); i++) {
            out.item(SPLIT_CLUSTER, split.routes().get(i).cluster());
            out.put(SPLIT_WEIGHT, split.weights().get(i));
        }
        String name = split.stickyName();
        if (name == null) {
            out.plain(ListenerKeys.STICKY, split.sticky() == SplitConfig.Sticky.OFF ? Key.OFF : "client");
        } else {
            boolean header = split.sticky() == SplitConfig.Sticky.HEADER;
            out.section(ListenerKeys.STICKY);
            out.text(header ? STICKY_HEADER : STICKY_COOKIE, name);
        }
    }

    /**
     * Returns whether all clusters have the same retries; if not, each has its own, and the route says nothing of them.
     */
    public static boolean sharesRetries(SplitConfig split) {
        Object first = split.routes().get(0).options().get(ClusterConfig.RETRIES);
        for (RouteConfig route : split.routes()) {
            if (!Objects.equals(route.options().get(ClusterConfig.RETRIES), first)) {
                return false;
            }
        }
        return true;
    }

    /** Writes all of a route's actions but the clusters. */
    public static void show(KeyWriter out, RouteConfig route) {
        Options options = route.options();
        RewriteConfig rewrite = options.get(RouteConfig.REWRITE);
        if (rewrite != null) {
            out.section(ListenerKeys.REWRITE);
            out.optional(REWRITE_PREFIX, rewrite.prefix());
            out.optional(REWRITE_HOST, rewrite.host());
        }
        List<FieldEdit> request = options.get(RouteConfig.REQUEST_HEADERS, List.of());
        if (!request.isEmpty()) {
            out.section(ListenerKeys.REQUEST_HEADERS);
            removed(out, REQUEST_REMOVE, request);
            added(out, REQUEST_SET, FieldEdit.Kind.SET, request);
            added(out, REQUEST_APPEND, FieldEdit.Kind.APPEND, request);
        }
        List<FieldEdit> response = options.get(RouteConfig.RESPONSE_HEADERS, List.of());
        if (!response.isEmpty()) {
            out.section(ListenerKeys.RESPONSE_HEADERS);
            removed(out, RESPONSE_REMOVE, response);
            added(out, RESPONSE_SET, FieldEdit.Kind.SET, response);
            added(out, RESPONSE_APPEND, FieldEdit.Kind.APPEND, response);
        }
        AnswerConfig answer = route.answer();
        if (answer != null) {
            show(out, answer);
        }
    }

    private static void removed(KeyWriter out, Key key, List<FieldEdit> edits) {
        List<String> names = new ArrayList<>();
        for (FieldEdit edit : edits) {
            if (edit.kind() == FieldEdit.Kind.REMOVE) {
                names.add(edit.name());
            }
        }
        out.unlessEmpty(key, names);
    }

    private static void added(KeyWriter out, Key key, FieldEdit.Kind kind, List<FieldEdit> edits) {
        boolean any = false;
        for (FieldEdit edit : edits) {
            FieldValue value = edit.value();
            if (edit.kind() == kind && value != null) {
                if (!any) {
                    out.section(key);
                }
                any = true;
                out.header(key, edit.name(), value.text());
            }
        }
    }

    private static void show(KeyWriter out, AnswerConfig answer) {
        RedirectConfig redirect = answer.redirect();
        if (redirect == null) {
            out.section(ListenerKeys.RESPOND);
            out.put(RESPOND_STATUS, answer.status());
            out.text(RESPOND_BODY, answer.body());
            out.text(RESPOND_CONTENT_TYPE, answer.contentType());
            return;
        }
        out.section(ListenerKeys.REDIRECT);
        out.put(REDIRECT_STATUS, answer.status());
        out.optional(REDIRECT_SCHEME, redirect.scheme());
        out.optional(REDIRECT_HOST, redirect.host());
        if (redirect.port() > 0) {
            out.plain(REDIRECT_PORT, Integer.toString(redirect.port()));
        }
        out.optional(REDIRECT_PREFIX, redirect.prefix());
        out.put(REDIRECT_STRIP_QUERY, redirect.stripQuery());
    }
}
