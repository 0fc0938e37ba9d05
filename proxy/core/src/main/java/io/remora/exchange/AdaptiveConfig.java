package io.remora.exchange;

import io.remora.config.keys.Key;
import io.remora.config.keys.KeyWriter;
import io.remora.config.keys.ListenerKeys;
import io.remora.config.keys.PlacedOption;
import io.remora.config.keys.ValueKey;
import io.remora.config.model.Limits;
import io.remora.config.model.Option;
import org.jspecify.annotations.Nullable;

/**
 * The rules by which a listener's bound on requests that wait for the backend follows the backend's latency.
 *
 * @param min that the bound never falls below
 * @param max that it never rises above, and from which it starts
 * @param tolerancePercent how much longer than without load responses may take
 */
public record AdaptiveConfig(int min, int max, int tolerancePercent) implements PlacedOption {
    public static final String NAME = "adaptive";

    /** Minimum of the limit. This number of concurrent requests is always admitted, even if the backend is slow. */
    public static final ValueKey<Integer> MIN = Key.count(ListenerKeys.ADAPTIVE, "min", 1, Key.MAX_COUNT, 10);

    /** Initial value and maximum of the limit. Defaults to {@code limits.in-flight}. */
    public static final ValueKey<Integer> MAX = Key.count(
            ListenerKeys.ADAPTIVE, "max", "`min` to `limits.in-flight`", 1, Key.MAX_COUNT, Limits.IN_FLIGHT_BY_DEFAULT);

    /**
     * Percentage by which responses can be slower than those of an idle backend. At 100, a response spends half of its
     * time in a queue: the thread pool is busy, and the queue is short. Lower values reduce throughput, and higher
     * values increase latency.
     */
    public static final ValueKey<Integer> TOLERANCE = Key.count(ListenerKeys.ADAPTIVE, "tolerance", 10, 1_000, 100);

    public static final Option<AdaptiveConfig> ADAPTIVE = Option.of(NAME);

    @Override
    public void show(KeyWriter out, Key key) {
        out.section(key);
        out.number(MIN, min);
        out.number(MAX, max);
        out.number(TOLERANCE, tolerancePercent);
    }

    // a record's own would have the JDK generate classes, at a reload of each sidecar that has one
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof AdaptiveConfig that
                && min == that.min
                && max == that.max
                && tolerancePercent == that.tolerancePercent;
    }

    @Override
    public int hashCode() {
        return 31 * (31 * min + max) + tolerancePercent;
    }
}
