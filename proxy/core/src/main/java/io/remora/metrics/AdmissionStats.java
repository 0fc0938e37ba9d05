package io.remora.metrics;

/**
 * The counts of one listener's adaptive admission on all event loops, updated a few times a second.
 *
 * <p>Thread safe.
 */
public final class AdmissionStats extends SharedCounts<AdmissionMetric> {
    static final String TABLE_NAME = "admissions";
    private static final AdmissionMetric[] TABLE = AdmissionMetric.values();
    private static final String[] NONE = {};

    public AdmissionStats(String listener) {
        super(TABLE, new String[] {listener}, NONE);
    }

    @Override
    public String table() {
        return TABLE_NAME;
    }

    /** Sets the current limit. */
    public synchronized void tell(int limit) {
        add(AdmissionMetric.LIMIT, limit - value(AdmissionMetric.LIMIT));
    }

    /**
     * Counts a cut whose cause has become known.
     *
     * @param load whether fewer requests at once were answered faster
     */
    public synchronized void judged(boolean load) {
        increment(AdmissionMetric.CUTS, load ? "load" : "other");
    }
}
