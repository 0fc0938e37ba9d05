package io.remora.cluster;

import io.remora.pool.Breakers;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The bounds of a cluster whose endpoints are where connections were to go. Each destination has its own on all event
 * loops, so that a dead one refuses nothing to others. There may be one bound on all of them together. Loaded only for
 * such a cluster that has bounds.
 *
 * <p>Thread safe. Bounds: the destinations that event loops know.
 */
final class DestinationBreakers {
    private final @Nullable BreakerConfig each;
    private final @Nullable Breakers all;
    /** The bounds of destinations that have none of their own; by themselves they never lack room. */
    private final Breakers unbounded;

    private final Map<String, Known> known = new HashMap<>();

    /**
     * @param each of one destination, null where only all of them are bound
     */
    DestinationBreakers(@Nullable BreakerConfig each, CaptureConfig config) {
        this.each = each;
        BreakerConfig total = config.total();
        this.all = total == null ? null : of(total, null);
        this.unbounded = new Breakers(Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE, all);
    }

    static Breakers of(BreakerConfig bounds, @Nullable Breakers all) {
        return new Breakers(bounds.connections(), bounds.pending(), bounds.inFlight(), all);
    }

    /** An event loop knows the destination from now on; {@link #leave} follows. */
    synchronized Breakers join(String destination) {
        if (each == null) {
            return unbounded;
        }
        Known one = known.get(destination);
        if (one == null) {
            one = new Known(of(each, all));
            known.put(destination, one);
        }
        one.loops++;
        return one.breakers;
    }

    /** An event loop knows it no longer, and has no connection to it. */
    synchronized void leave(String destination) {
        Known one = known.get(destination);
        if (one != null && --one.loops == 0) {
            known.remove(destination);
        }
    }

    /** One of them. */
    private static final class Known {
        private final Breakers breakers;
        private int loops;

        Known(Breakers breakers) {
            this.breakers = breakers;
        }
    }
}
