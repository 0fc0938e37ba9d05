package io.remora.cluster;

import io.remora.config.keys.Key;
import io.remora.config.keys.KeyWriter;
import io.remora.config.keys.PlacedOption;
import io.remora.config.model.ClusterConfig;
import io.remora.config.model.Option;

/**
 * The load that a cluster takes at once on all event loops; beyond it 503.
 *
 * @param connections open or being made
 * @param pending requests that wait for a connection
 * @param inFlight requests at endpoints, or on their way there
 * @param retries in flight; beyond it there is none
 */
public record BreakerConfig(int connections, int pending, int inFlight, int retries) implements PlacedOption {
    public static final Option<BreakerConfig> BREAKERS = Option.of(ClusterConfig.BREAKERS.toString());

    @Override
    public void show(KeyWriter out, Key key) {
        BreakerPart.show(out, key, this);
    }
}
