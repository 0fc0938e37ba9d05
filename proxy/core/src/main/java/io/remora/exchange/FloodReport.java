package io.remora.exchange;

import io.remora.config.model.LogComponent;
import io.remora.log.Log;
import io.remora.log.LogThrottle;
import org.jspecify.annotations.Nullable;

/**
 * Logs a peer that sends too many frames of a kind: one line in ten seconds, as a peer that can cause one can cause
 * many.
 *
 * <p>Owner: one event loop of a listener or of a cluster.
 */
public final class FloodReport {
    private static final long PERIOD_NS = 10_000_000_000L;

    private final LogComponent component;
    /** Name of the listener or cluster, such as {@code listener public}. */
    private final String where;

    private @Nullable LogThrottle throttle;

    public FloodReport(LogComponent component, String where) {
        this.component = component;
        this.where = where;
    }

    /**
     * @param kind of frames, as metrics call it
     * @param count of them when the bound was passed, with the one that passed it; 0 where they are not counted
     */
    public void tell(String peer, String kind, int count, long nowNs) {
        if (throttle == null) {
            throttle = new LogThrottle(1, PERIOD_NS);
        }
        String tail = throttle.tail(nowNs);
        if (tail != null) {
            String counted = count == 0 ? "" : " count=" + count;
            String event = where + ": flood peer=" + peer + " kind=" + kind + counted;
            Log.warn(component, event + "; closing its connection" + tail);
        }
    }
}
