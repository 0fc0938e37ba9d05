package io.remora.config.model;

import org.jspecify.annotations.Nullable;

/**
 * What an endpoint sees in the place of a request's path and host.
 *
 * @param prefix what stands in the place of what the route matches of the path; null for the path as it came
 * @param host with its port, if it has one; null for the host as it came
 */
public record RewriteConfig(
        @Nullable String prefix, @Nullable String host) {}
