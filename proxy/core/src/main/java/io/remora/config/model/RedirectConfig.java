package io.remora.config.model;

import org.jspecify.annotations.Nullable;

/**
 * What of a request's URI is another one where the client is sent to; what is null stays.
 *
 * @param host without a port
 * @param port 0 for that of the request where host and scheme stay, and for the scheme's where they do not
 * @param prefix what stands in the place of what the route matches of the path
 * @param stripQuery true where the query does not stay
 */
public record RedirectConfig(
        @Nullable String scheme,
        @Nullable String host,
        int port,
        @Nullable String prefix,
        boolean stripQuery) {}
