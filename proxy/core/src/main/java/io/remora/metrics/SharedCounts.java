package io.remora.metrics;

/**
 * Counts of something that may be there twice for a while, as one of its name takes the place of another: both count in the same
 * series, which end with the last of them.
 *
 * <p>Thread safe by its lock.
 */
public abstract class SharedCounts<M extends Enum<M> & Metric> extends Counts<M> {
    /** The number of objects that count here. */
    private int users = 1;

    protected SharedCounts(M[] lines, String[] scope, String[] openValues) {
        super(lines, scope, openValues);
    }

    @Override
    boolean continuesAs(Counts<?> other) {
        return sharesSeriesWith(other);
    }

    @Override
    final synchronized void joined() {
        users++;
    }

    @Override
    final synchronized boolean leave() {
        return --users == 0;
    }
}
