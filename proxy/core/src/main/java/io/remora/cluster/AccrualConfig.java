package io.remora.cluster;

import io.remora.config.keys.Key;
import io.remora.config.keys.KeyWriter;
import io.remora.config.keys.PlacedOption;
import io.remora.config.model.ClusterConfig;
import io.remora.config.model.Limits;
import io.remora.config.model.Option;

/**
 * The rules by which failures of its requests take an endpoint out of use, and for how long.
 *
 * @param consecutive failures in a row; 0 for any number
 * @param successPercent of the requests that must succeed; 0 for none
 * @param requests over which that is judged, the last ones or those of the window
 * @param windowNs over which they are counted; {@link Limits#UNLIMITED} for the last ones, however old
 * @param backOffNs for which it is out the first time; doubled each further time
 * @param maxBackOffNs the longest time
 * @param maxEjectedPercent of the cluster's endpoints
 */
public record AccrualConfig(
        int consecutive,
        int successPercent,
        int requests,
        long windowNs,
        long backOffNs,
        long maxBackOffNs,
        int maxEjectedPercent)
        implements PlacedOption {
    public static final Option<AccrualConfig> ACCRUAL = Option.of(ClusterConfig.ACCRUAL.toString());

    @Override
    public void show(KeyWriter out, Key key) {
        AccrualPart.show(out, key, this);
    }
}
