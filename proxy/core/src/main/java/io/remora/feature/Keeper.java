package io.remora.feature;

import io.remora.config.model.ListenerConfig;
import io.remora.metrics.Stats;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The state that features keep for the whole process, by feature, and the register that its counters join. Loaded where a feature is
 * configured.
 *
 * <p>Thread safe: a feature that makes its state holds this object's lock meanwhile.
 */
public final class Keeper {
    private final Map<String, Kept> kept = new HashMap<>();
    private final Stats stats;

    Keeper(Stats stats) {
        this.stats = stats;
    }

    public Stats stats() {
        return stats;
    }

    /** Returns what a feature keeps, null for nothing yet. The caller has this object's lock. */
    public @Nullable Kept kept(String feature) {
        return kept.get(feature);
    }

    /** Keeps it from now on. The caller has this object's lock. */
    public void keep(String feature, Kept state) {
        kept.put(feature, state);
    }

    synchronized void keepOnly(List<ListenerConfig> listeners) {
        for (Kept each : kept.values()) {
            each.keepOnly(listeners);
        }
    }

    /** The state of a feature for the whole process. Thread safe. */
    public interface Kept {
        /** Ends what belongs to listeners or limits that the configuration, which holds from now on, does not have. */
        void keepOnly(List<ListenerConfig> listeners);
    }
}
