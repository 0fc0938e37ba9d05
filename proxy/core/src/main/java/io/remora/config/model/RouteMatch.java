package io.remora.config.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The conditions that a request must meet for a route to take it. A part that is null or empty matches everything.
 *
 * @param host lower case, exact, or a {@code *.suffix} that matches one label or more before the suffix; never a port
 * @param path the exact path, without the query
 * @param pathPrefix a prefix on segment boundaries: {@code /a} matches {@code /a} and {@code /a/b}, not {@code /ab}
 * @param method case-sensitive (RFC 9110 9.1)
 * @param headers lower-case names to exact values, all of which must be there
 * @param identity that the client has proved: an exact one, or a prefix that ends in {@code /*}
 */
public record RouteMatch(
        @Nullable String host,
        @Nullable String path,
        @Nullable String pathPrefix,
        @Nullable String method,
        Map<String, String> headers,
        @Nullable String identity) {
    public static final RouteMatch EVERYTHING = new RouteMatch(null, null, null, null, Map.of());

    /** Makes a match of any client. */
    public RouteMatch(
            @Nullable String host,
            @Nullable String path,
            @Nullable String pathPrefix,
            @Nullable String method,
            Map<String, String> headers) {
        this(host, path, pathPrefix, method, headers, null);
    }
}
