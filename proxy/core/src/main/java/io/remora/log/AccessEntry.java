package io.remora.log;

import org.jspecify.annotations.Nullable;

/**
 * One line of the access log, about one completed exchange. Immutable.
 *
 * <p>docs/access-log.md has these descriptions.
 *
 * @param timeMs the time at which the request arrived, in UTC with milliseconds
 * @param listener the name of the listener
 * @param client the client address without the port. It is the remote end of the connection, or the client that a trusted
 *     proxy reports
 * @param identity the identity that the client has proved with its certificate, or null
 * @param method the request method, or {@code -} if the request line could not be read
 * @param target the request target, or {@code -}
 * @param version the version of the request, such as {@code HTTP/1.1}, or {@code -}
 * @param host the value of the Host field
 * @param status the status of the final response, or 0 if no response was sent
 * @param failure the failure label, or null
 * @param reason the name of the HTTP rule that a message violated, or the configuration key that ended an idle stream. It is
 *     null if the failure label is sufficient
 * @param requestBytes the size of the request body without framing
 * @param responseBytes the size of the response body without framing
 * @param totalUs the time from the first byte of the request to the last byte of the response, in microseconds
 * @param backendUs the time spent waiting for endpoints in all attempts, including failed ones, in microseconds
 * @param proxyUs the time spent in the proxy, in microseconds
 * @param route the route that the request matched
 * @param endpoint the endpoint of the last attempt
 * @param requestId the value of X-Request-Id
 * @param referer the value of the Referer field
 * @param userAgent the value of the User-Agent field
 * @param cluster the cluster of the attempts, with the name that the metrics use. It is null if the request was not forwarded
 * @param traceId the trace that the request belongs to. If the sidecar does not trace requests itself, this is the id from a
 *     valid {@code traceparent}
 * @param attempts the number of attempts, including re-picks, retries and hedges, or 0 if the request was not forwarded
 * @param attemptFailure the reason why the last failed attempt failed, even if a later attempt succeeded. The values are the
 *     same as for {@code failure}, or a value such as {@code status-503} or {@code grpc-unavailable} for a status that
 *     was not forwarded
 * @param tlsVersion the TLS version of the client connection, such as {@code TLSv1.3}
 * @param tlsCipher the cipher suite of the client connection, such as {@code TLS_AES_128_GCM_SHA256}
 * @param backendVersion the protocol of the last attempt: {@code HTTP/1.1}, {@code HTTP/2} or {@code TCP}. It is null if that
 *     attempt was not sent, even if an earlier one was
 * @param grpcStatus the status of a gRPC call, on listeners that support HTTP/2
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
