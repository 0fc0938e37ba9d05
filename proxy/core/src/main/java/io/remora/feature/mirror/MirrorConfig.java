package io.remora.feature.mirror;

import io.remora.config.keys.Key;
import io.remora.config.model.Option;
import io.remora.config.text.ConfigText;
import io.remora.config.text.ShownOption;
import org.jspecify.annotations.Nullable;

/**
 * Settings of mirroring: the cluster for copies of a route's requests, and the limits of the copies.
 *
 * @param percent of the requests
 * @param bodyBytes of a request that is copied
 * @param maxInFlight copies on each event loop
 * @param timeoutNs for a copy, from when it is whole to the end of the response
 */
public record MirrorConfig(String cluster, int percent, int bodyBytes, int maxInFlight, long timeoutNs)
        implements ShownOption {
    public static final Option<MirrorConfig> MIRROR = Option.of(Mirroring.NAME);

    @Override
    public void show(ConfigText text, @Nullable Key parent) {
        text.section(MirrorKeys.MIRROR);
        text.text(MirrorKeys.CLUSTER, cluster);
        text.put(MirrorKeys.PERCENT, percent);
        text.put(MirrorKeys.BODY, bodyBytes);
        text.put(MirrorKeys.MAX_IN_FLIGHT, maxInFlight);
        text.put(MirrorKeys.TIMEOUT, timeoutNs);
    }
}
