package io.remora.config.yaml;

import io.remora.config.keys.Key;
import io.remora.config.model.Address;
import io.remora.config.model.ProxyConfig;
import io.remora.text.Ascii;
import io.remora.text.HostText;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The syntax of names, tokens, host patterns and paths. Each check that reads a node reports a problem, and then
 * returns null.
 */
public final class Names {
    private static final String[] METHODS = {"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"};

    private Names() {}

    /** A name that the file gives something of its own. */
    public static @Nullable String name(Node node, String key, Problems problems) {
        if (node.kind == Node.Kind.TEXT && ProxyConfig.isName(node.text)) {
            return node.text;
        }
        String expected = ", expected 1 to " + ProxyConfig.MAX_NAME_CHARS + " letters, digits, '.', '_', '-' or '/'";
        problems.at(node, key + " is " + node.quoted() + expected);
        return null;
    }

    /** Reads the zone under a key, empty where none is given. */
    public static String zone(Section section, Key key, Problems problems) {
        Node node = section.value(key);
        String zone = node == null ? null : name(node, key.name, problems);
        return zone == null ? "" : zone;
    }

    /** A token (RFC 9110 5.6.2). */
    public static @Nullable String token(Node node, String key, Problems problems) {
        if (node.kind == Node.Kind.TEXT && isToken(node.text)) {
            return node.text;
        }
        problems.at(node, key + " is " + node.quoted() + ", expected a token of letters, digits and !#$%&'*+-.^_`|~");
        return null;
    }

    public static boolean isToken(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (!Ascii.isTokenCharacter(text.charAt(i))) {
                return false;
            }
        }
        return !text.isEmpty();
    }

    /** A method, which is case-sensitive: a lower-case one of the known methods would never match. */
    static @Nullable String method(Node node, Problems problems) {
        String method = token(node, "method", problems);
        for (String known : METHODS) {
            if (method != null && known.equalsIgnoreCase(method) && !known.equals(method)) {
                problems.at(node, "method " + node.quoted() + " never matches, expected '" + known + "'");
                return null;
            }
        }
        return method;
    }

    /**
     * Reads a host or {@code *.suffix} in lower case and without the dot at its end. An IPv6 address keeps its brackets and its spelling; a
     * zone is refused, as no Host field has one.
     */
    public static @Nullable String hostPattern(Node node, Problems problems) {
        String host = node.text.startsWith("*.") ? node.text.substring(2) : node.text;
        if (Address.isHost(host)) {
            return HostText.canonical(node.text);
        }
        if (Address.isIpV6(node.text) && node.text.indexOf('%') < 0) {
            return node.text.toLowerCase(Locale.ROOT);
        }
        problems.at(node, "host is " + node.quoted() + ", expected a host without a port, or '*.' and a suffix");
        return null;
    }

    /** A path as a request target can carry it. */
    public static @Nullable String path(Node node, String key, Problems problems) {
        if (!node.text.startsWith("/")) {
            problems.at(node, key + " is " + node.quoted() + ", expected a path that begins with '/'");
            return null;
        }
        for (int i = 0; i < node.text.length(); i++) {
            char c = node.text.charAt(i);
            if (c <= ' ' || c > '~' || c == '?' || c == '#') {
                String what = key + " " + node.quoted() + " has a " + Problems.quote(String.valueOf(c));
                problems.at(node, what + ", expected visible ASCII without '?' and '#'");
                return null;
            }
        }
        return node.text;
    }

    /** A path, with a query or without, as a request target can carry it. */
    public static boolean isTarget(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c <= ' ' || c > '~' || c == '#') {
                return false;
            }
        }
        return text.startsWith("/");
    }

    /** Reads a host as a Host field may have it. */
    public static @Nullable String authority(Node node, Problems problems) {
        if (Address.isAuthority(node.text)) {
            return node.text;
        }
        problems.at(node, "host is " + node.quoted() + ", expected a host, or a host with ':' and a port");
        return null;
    }

    /** A header value that a request can carry. */
    public static @Nullable String headerValue(Node node, String name, Problems problems) {
        if (node.kind == Node.Kind.TEXT && isHeaderValue(node.text)) {
            return node.text;
        }
        problems.at(node, name + " is " + node.quoted() + ", expected visible ASCII, with spaces only inside");
        return null;
    }

    private static boolean isHeaderValue(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if ((c < ' ' && c != '\t') || c > '~') {
                return false;
            }
        }
        return text.equals(text.strip());
    }
}
