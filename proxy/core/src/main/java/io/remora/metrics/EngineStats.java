package io.remora.metrics;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleSupplier;

/**
 * The counts of one event loop's engine for one cluster, under the engine's own names.
 *
 * <p>Owner: written by its event loop only; each scrape reads the levels.
 */
public final class EngineStats extends Counts<EngineMetric> {
    static final String TABLE_NAME = "engines";
    private static final EngineMetric[] TABLE = EngineMetric.values();
    private static final String[] NONE = {};

    /** The levels by name; one may have several readings. */
    private final Map<String, List<WeakReference<DoubleSupplier>>> levels = new HashMap<>();

    public EngineStats(String cluster) {
        super(TABLE, new String[] {cluster}, NONE);
    }

    @Override
    public String table() {
        return TABLE_NAME;
    }

    /** Returns whether the line has a series of that name. */
    public static boolean has(EngineMetric line, String name) {
        String[] known = line.family().values();
        return known != null && List.of(known).contains(name);
    }

    /** Adds a level to those of that name, for as long as another object holds {@code reading}. */
    public synchronized void level(String name, DoubleSupplier reading) {
        levels.computeIfAbsent(name, absent -> new ArrayList<>(1)).add(new WeakReference<>(reading));
    }

    public synchronized void remove(String name, DoubleSupplier reading) {
        levels.getOrDefault(name, List.of()).removeIf(each -> each.refersTo(reading));
    }

    @Override
    synchronized void refresh() {
        for (Map.Entry<String, List<WeakReference<DoubleSupplier>>> each : levels.entrySet()) {
            each.getValue().removeIf(reading -> reading.refersTo(null));
            double sum = 0;
            for (WeakReference<DoubleSupplier> one : each.getValue()) {
                DoubleSupplier reading = one.get();
                sum += reading == null ? 0 : reading.getAsDouble();
            }
            set(EngineMetric.LEVELS, each.getKey(), Math.round(sum));
        }
    }
}
