package io.remora.log;

import org.jspecify.annotations.Nullable;

/**
 * One line of the access log, about one finished exchange. Immutable.
 *
 * @param timeMs epoch milliseconds at which the request arrived
 * @param client address of the client, without the port; that of the peer, unless the peer is trusted to name another
 * @param identity that the client has proved; null for none
 * @param version of the client's request, such as {@code HTTP/1.1}; {@code -} if the request could not be read
 * @param status of the final response; 0 if none was sent
 * @param failure label of the failure; null if there was none
 * @param reason why, where the label does not say it: the rule that a message has broken; null for none
 * @param requestBytes size of the request's body
 * @param responseBytes size of the response's body
 * @param totalUs time from the first byte of the request to the last byte of the response
 * @param backendUs time spent waiting for the backend
 * @param proxyUs time spent in the proxy
 * @param cluster at which attempts were made; null where none was
 * @param traceId of the trace that the request is part of; null for none
 * @param attempts that were made
 * @param attemptFailure why the last attempt failed that did, also in an exchange that went well; null where none did
 * @param tlsVersion of the client's connection, null where it has no TLS
 * @param backendVersion that was spoken to the endpoint, null where nothing was
 * @param grpcStatus by which a call of gRPC ended; null where it was none
 */
public record AccessEntry(
        long timeMs,
        String listener,
        String client,
        @Nullable String identity,
        String method,
        String target,
        String version,
        @Nullable String host,
        int status,
        @Nullable String failure,
        @Nullable String reason,
        long requestBytes,
        long responseBytes,
        long totalUs,
        long backendUs,
        long proxyUs,
        @Nullable String route,
        @Nullable String endpoint,
        @Nullable String requestId,
        @Nullable String referer,
        @Nullable String userAgent,
        @Nullable String cluster,
        @Nullable String traceId,
        int attempts,
        @Nullable String attemptFailure,
        @Nullable String tlsVersion,
        @Nullable String tlsCipher,
        @Nullable String backendVersion,
        @Nullable String grpcStatus) {}
