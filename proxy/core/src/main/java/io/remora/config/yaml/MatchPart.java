package io.remora.config.yaml;

import io.remora.config.keys.Key;
import io.remora.config.keys.KeyWriter;
import io.remora.config.keys.ListenerKeys;
import io.remora.config.model.Address;
import io.remora.config.model.ListenerConfig;
import io.remora.config.model.PathConfig;
import io.remora.config.model.RouteMatch;
import io.remora.text.PathSpelling;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The {@code match} of a route: its keys in the order of the page, read and shown. Loaded only where one is configured. */
public final class MatchPart {
    /**
     * Host without port, in any spelling. {@code *.} matches one or more labels. See [routing.md](routing.md#hosts).
     */
    public static final Key HOST = Key.optional(ListenerKeys.MATCH, "host", "host, or `*.suffix`");

    /**
     * Server name in the TLS ClientHello, in any letter case and with or without a trailing dot. {@code *.} matches one
     * or more labels. Requires {@code protocol: tcp}, and a listener that does not terminate TLS.
     */
    public static final Key SNI = Key.optional(ListenerKeys.MATCH, "sni", "host, or `*.suffix`");

    /** Exact path without the query. Cannot be combined with {@code prefix}. */
    public static final Key PATH = Key.optional(ListenerKeys.MATCH, "path", "path");

    /** Path prefix on segment boundaries: {@code /a} matches {@code /a} and {@code /a/b}, but not {@code /ab}. */
    public static final Key PREFIX = Key.optional(ListenerKeys.MATCH, "prefix", "path");

    /** Request method, case-sensitive. */
    public static final Key METHOD = Key.optional(ListenerKeys.MATCH, "method", "token");

    /**
     * Fields that must be present with exactly these values. Names are case-insensitive. {@code GET /config} shows
     * {@code ***} instead of the value if the field name suggests a credential.
     */
    public static final Key HEADERS = Key.optional(ListenerKeys.MATCH, "headers", "mapping of names to values");

    /**
     * Identity of the client certificate, exact or {@code spiffe://DOMAIN/PATH/*}. Requires {@code
     * client-certificates}.
     */
    public static final Key IDENTITY = Key.optional(ListenerKeys.MATCH, "identity", "identity");

    /** The field by which a peer says who the client is; only a trusted peer may send it. */
    private static final String CLIENT_CERT = "x-forwarded-client-cert";

    private final Section listener;
    private final PathConfig.Mode paths;
    private final boolean tcp;
    private final Problems problems;

    /**
     * @param listener of the route
     * @param paths the spelling of paths that its routes match
     * @param tcp true if its connections are tunnels
     */
    MatchPart(Section listener, PathConfig.Mode paths, boolean tcp, Problems problems) {
        this.listener = listener;
        this.paths = paths;
        this.tcp = tcp;
        this.problems = problems;
    }

    /** Reads the match of a route that has one. */
    RouteMatch read(Section route) {
        Section section = route.section(ListenerKeys.MATCH);
        Node sni = section.text(SNI);
        if (tcp) {
            new TcpRules(problems).refuse(section, HOST, PATH, PREFIX, METHOD, HEADERS);
        } else if (sni != null) {
            problems.at(sni, "sni requires protocol: tcp; use host for HTTP");
        }
        Node host = tcp ? null : section.text(HOST);
        Node path = section.text(PATH);
        Node prefix = section.text(PREFIX);
        Node method = section.text(METHOD);
        Node identity = section.value(IDENTITY);
        if (path != null && prefix != null) {
            problems.at(prefix, "prefix cannot be combined with path");
        }
        RouteMatch match = new RouteMatch(
                tcp ? sni(sni) : host == null ? null : Names.hostPattern(host, problems),
                path(path, PATH),
                path(prefix, PREFIX),
                method == null ? null : Names.method(method, problems),
                headers(section.value(HEADERS)),
                identity == null ? null : PeerReader.identity(identity, problems));
        section.end();
        return match;
    }

    private @Nullable String path(@Nullable Node node, Key key) {
        String path = node == null ? null : Names.path(node, key.name, problems);
        if (path == null || paths == PathConfig.Mode.AS_SENT || path.indexOf('%') < 0 && !path.contains("/.")) {
            return path;
        }
        return PathSpelling.normalized(path);
    }

    private Map<String, String> headers(@Nullable Node node) {
        if (node == null || Section.of(node, HEADERS.name, problems).node.isBroken()) {
            return Map.of();
        }
        Map<String, String> headers = new LinkedHashMap<>();
        for (int i = 0; i < node.children.size(); i += 2) {
            Node key = node.children.get(i);
            String name = Names.token(key, "header", problems);
            if (CLIENT_CERT.equalsIgnoreCase(name) && !trusts()) {
                String why = "header " + key.quoted() + " cannot be matched without trust";
                problems.at(key, why + "; use identity, or set trust");
            }
            String value = Names.headerValue(node.children.get(i + 1), "header " + key.quoted(), problems);
            String first = name == null ? null : headers.put(name.toLowerCase(Locale.ROOT), value == null ? "" : value);
            if (first != null) {
                problems.at(key, "header " + key.quoted() + " is listed twice; names are case-insensitive");
            }
        }
        return headers.isEmpty() ? Map.of() : Collections.unmodifiableMap(headers);
    }

    private boolean trusts() {
        Node trust = listener.value(ListenerConfig.TRUST.toString());
        return trust != null && !trust.isText(Key.OFF);
    }

    /** A name, which is never an address (RFC 6066 section 3). */
    private @Nullable String sni(@Nullable Node node) {
        if (node == null) {
            return null;
        }
        if (Address.isIpV4(node.text) || node.text.startsWith("[")) {
            problems.at(node, "sni is " + node.quoted() + ", expected a name, or '*.' and a suffix");
            return null;
        }
        return Names.hostPattern(node, problems);
    }

    /** Writes the conditions of a route that has any. */
    public static void show(KeyWriter out, RouteMatch match, boolean tcp) {
        out.section(ListenerKeys.MATCH);
        out.optional(tcp ? SNI : HOST, match.host());
        out.optional(PATH, match.path());
        out.optional(PREFIX, match.pathPrefix());
        out.optional(METHOD, match.method());
        out.optional(IDENTITY, match.identity());
        if (!match.headers().isEmpty()) {
            out.section(HEADERS);
        }
        for (Map.Entry<String, String> header : match.headers().entrySet()) {
            out.header(HEADERS, header.getKey(), header.getValue());
        }
    }
}
