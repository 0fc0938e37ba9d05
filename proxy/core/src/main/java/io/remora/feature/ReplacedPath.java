package io.remora.feature;

import io.remora.config.keys.Key;
import io.remora.config.model.RouteMatch;
import io.remora.config.yaml.FeatureSection;
import io.remora.config.yaml.Names;
import io.remora.config.yaml.Node;
import io.remora.config.yaml.Section;
import io.remora.http.PathRewrite;
import io.remora.text.Ascii;
import org.jspecify.annotations.Nullable;

/** A path that replaces the one that a route matches, for features that change paths. */
public final class ReplacedPath {
    private static final int MAX_CHARS = 1_024;
    /** The characters of a URI's path, apart from letters, digits and encoded octets (RFC 3986 3.3). */
    private static final String CHARS = "/-._~!$&'()*+,;=:@";

    private ReplacedPath() {}

    /** Reads a path that can be put before any other; null where the file has none, or a wrong one. */
    public static @Nullable String read(FeatureSection route, Section section, Key key) {
        Node node = section.text(key);
        String path = node == null ? null : Names.path(node, key.name, route.problems);
        if (node == null || path == null) {
            return null;
        }
        String why = refusal(path, route.match());
        if (why != null) {
            route.problems.at(node, key.name + " " + node.quoted() + why);
        }
        return why == null ? path : null;
    }

    private static @Nullable String refusal(String path, RouteMatch match) {
        if (path.length() > MAX_CHARS) {
            return " is too long, expected at most " + MAX_CHARS + " characters";
        }
        if (path.startsWith("//")) {
            return " starts like a host name, expected a single '/'";
        }
        if (!isPath(path)) {
            return " is not a URI path, expected other characters as %XX";
        }
        if (hasDots(path)) {
            return " has a dot segment, expected the resolved path";
        }
        return match.path() == null && match.pathPrefix() == null && "/".equals(path)
                ? " has no effect, expected another path, or match with prefix or path"
                : null;
    }

    private static boolean isPath(String path) {
        for (int i = 0; i < path.length(); i++) {
            char c = path.charAt(i);
            if (c == '%') {
                boolean encoded = i + 2 < path.length() && isHex(path.charAt(i + 1)) && isHex(path.charAt(i + 2));
                if (!encoded) {
                    return false;
                }
            } else if (!Ascii.isAlphanumeric(c) && CHARS.indexOf(c) < 0) {
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

    /** Returns the change of a request's path, null where it stays. */
    public static @Nullable PathRewrite of(RouteMatch match, @Nullable String replacement) {
        if (replacement == null) {
            return null;
        }
        String prefix = match.pathPrefix() == null ? "" : match.pathPrefix();
        return match.path() == null
                ? new PathRewrite(prefix, false, replacement)
                : new PathRewrite(match.path(), true, replacement);
    }
}
