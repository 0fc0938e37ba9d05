package io.remora.metrics;

import java.util.List;

/**
 * What is counted for one listener's adaptive admission on all event loops, a few times a second.
 *
 * <p>Thread safe.
 */
public final class AdmissionStats extends SharedCounts<AdmissionMetric> {
    private static final AdmissionMetric[] TABLE = AdmissionMetric.values();
    private static final String[] NONE = {};

    public AdmissionStats(String listener) {
        super(TABLE, new String[] {listener}, NONE);
    }

    /** As {@link SharedCounts} says. It is declared here so that a sidecar without any does not load this class. */
    static AdmissionStats join(List<AdmissionStats> all, AdmissionStats stats) {
        return SharedCounts.join(all, stats);
    }

    /** What the limit is now. */
    public synchronized void tell(int limit) {
        add(AdmissionMetric.LIMIT, limit - value(AdmissionMetric.LIMIT));
    }

    /**
     * It is known what a cut has shown.
     *
     * @param load whether fewer requests at once were answered faster
     */
    public synchronized void judged(boolean load) {
        increment(AdmissionMetric.CUTS, load ? "load" : "other");
    }
}
