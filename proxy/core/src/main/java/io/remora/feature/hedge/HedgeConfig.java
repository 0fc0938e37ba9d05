package io.remora.feature.hedge;

import io.remora.config.keys.Key;
import io.remora.config.model.Option;
import io.remora.config.text.ConfigText;
import io.remora.config.text.ShownOption;
import org.jspecify.annotations.Nullable;

/**
 * Settings of hedges: when a slow request goes to a second endpoint as well.
 *
 * @param percentile of the latencies of late, beyond which a request is slow
 * @param minDelayNs before which none is
 */
public record HedgeConfig(int percentile, long minDelayNs) implements ShownOption {
    public static final Option<HedgeConfig> HEDGE = Option.of(HedgeKeys.NAME);

    @Override
    public void show(ConfigText text, @Nullable Key parent) {
        text.section(HedgeKeys.HEDGE);
        text.number(HedgeKeys.PERCENTILE, percentile);
        text.number(HedgeKeys.MIN_DELAY, minDelayNs);
    }
}
