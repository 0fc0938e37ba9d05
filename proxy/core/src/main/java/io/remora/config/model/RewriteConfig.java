package io.remora.config.model;

import org.jspecify.annotations.Nullable;

/**
 * The path and the host that an endpoint sees instead of the request's.
 *
 * @param prefix that replaces the part of the path that the route matches; null for the path as it came
 * @param host with its port, if it has one; null for the host as it came
 */
public record RewriteConfig(
        @Nullable String prefix, @Nullable String host) {}
