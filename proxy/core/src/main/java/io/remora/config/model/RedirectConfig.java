package io.remora.config.model;

import org.jspecify.annotations.Nullable;

/**
 * The parts of a request's URI that differ where the client is sent to; a null part stays.
 *
 * @param host without a port
 * @param port 0 for that of the request where host and scheme stay, and for the scheme's where they do not
 * @param prefix that replaces the part of the path that the route matches
 * @param stripQuery true where the query does not stay
 */
public record RedirectConfig(
        @Nullable String scheme,
        @Nullable String host,
        int port,
        @Nullable String prefix,
        boolean stripQuery) {}
