package io.remora.config.model;

import org.jspecify.annotations.Nullable;

/**
 * How endpoints are asked for their health, beside their requests.
 *
 * @param path that is asked for; null where a connection is all that is tried
 * @param grpc the service that gRPC's health service is asked for, empty for the server as a whole; null where it is not asked
 * @param host that is asked for; null for the endpoint's own address
 * @param unhealthyThreshold checks in a row that must fail
 * @param healthyThreshold checks in a row that must succeed
 */
public record HealthCheckConfig(
        @Nullable String path,
        @Nullable String grpc,
        @Nullable String host,
        long intervalNs,
        long timeoutNs,
        int unhealthyThreshold,
        int healthyThreshold) {}
