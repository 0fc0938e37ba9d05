package io.remora.config.model;

import org.jspecify.annotations.Nullable;

/**
 * The rules by which a listener's bound on requests that wait for the backend follows the backend's latency.
 *
 * @param min that the bound never falls below
 * @param max that it never rises above, and from which it starts
 * @param tolerancePercent how much longer than without load responses may take
 */
public record AdaptiveConfig(int min, int max, int tolerancePercent) {
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
