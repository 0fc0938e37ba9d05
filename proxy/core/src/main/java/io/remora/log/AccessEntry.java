package io.remora.log;

import org.jspecify.annotations.Nullable;

/**
 * One finished exchange, as the access log tells it. Immutable.
 *
 * @param timeMs epoch milliseconds at which the request arrived
 * @param client address of the client, without its port
 * @param version of the client's request, {@code HTTP/1.1}; {@code -} where the request could not be read
 * @param status of the final response sent, 0 where none was
 * @param failure label of the failure, null for none
 * @param requestBytes of the request's body
 * @param responseBytes of the response's body
 * @param totalUs from the request's first byte to the response's last
 * @param backendUs waited for the backend
 * @param proxyUs spent in the proxy
 */
public record AccessEntry(
        long timeMs,
        String listener,
        String client,
        String method,
        String target,
        String version,
        @Nullable String host,
        int status,
        @Nullable String failure,
        long requestBytes,
        long responseBytes,
        long totalUs,
        long backendUs,
        long proxyUs,
        @Nullable String route,
        @Nullable String endpoint,
        @Nullable String requestId,
        @Nullable String referer,
        @Nullable String userAgent) {}
