package io.remora.cluster;

import io.remora.config.keys.Key;
import io.remora.config.keys.KeyWriter;
import io.remora.config.keys.PlacedOption;
import io.remora.config.model.ClusterConfig;
import io.remora.config.model.Option;
import org.jspecify.annotations.Nullable;

/**
 * Active checks of endpoints' health, apart from their requests.
 *
 * @param path of the request; null where a connection is all that is tried
 * @param grpc the name of the service in requests to gRPC's health service, empty for the server as a whole; null for
 *     no such check
 * @param host of the request; null for the endpoint's own address
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
        int healthyThreshold)
        implements PlacedOption {
    public static final Option<HealthCheckConfig> HEALTH_CHECK = Option.of(ClusterConfig.HEALTH_CHECK.toString());

    @Override
    public void show(KeyWriter out, Key key) {
        HealthCheckPart.show(out, key, this);
    }
}
