package io.remora.metrics;

/**
 * The configuration in effect, and the results of the attempts to replace it. Immutable.
 *
 * @param generation from 1
 * @param sinceMs when it came, since the epoch
 * @param taken how many reloads were, since the start
 * @param refused how many were not
 * @param lastMs when the last attempt ended, since the epoch; 0 for none
 * @param last its messages, in lines; empty for none
 */
public record ConfigState(long generation, long sinceMs, long taken, long refused, long lastMs, String last) {
    /** Returns the state after one more attempt. */
    public ConfigState after(boolean good, long now, long nowMs, String text) {
        return new ConfigState(
                now, good ? nowMs : sinceMs, taken + (good ? 1 : 0), refused + (good ? 0 : 1), nowMs, text);
    }
}
