package io.remora.metrics;

import org.jspecify.annotations.Nullable;

/** The counts of one event loop for one listener. */
public final class ListenerStats extends Counts<ListenerMetric> {
    static final String TABLE_NAME = "listeners";
    private static final ListenerMetric[] TABLE = ListenerMetric.values();
    private static final int CLASSES = 5;

    public final String listener;
    /** The exemplars, once there is one. */
    private volatile @Nullable Exemplars exemplars;
    /** Written by the admin thread; null unless somebody looks at the dashboard. */
    private volatile @Nullable ExchangeWatch watch;

    /**
     * @param failures the label of every failure there is
     */
    public ListenerStats(String listener, String... failures) {
        super(TABLE, new String[] {listener}, failures);
        this.listener = listener;
    }

    @Override
    public String table() {
        return TABLE_NAME;
    }

    /** Returns the exemplars of its histograms, which the first call makes. */
    public Exemplars exemplars() {
        Exemplars known = exemplars;
        if (known == null) {
            known = new Exemplars();
            exemplars = known;
        }
        return known;
    }

    /** Returns the exemplars for a scrape: null where there are none. */
    @Nullable
    Exemplars keptExemplars() {
        return exemplars;
    }

    /** Returns the watch over its exchanges; null unless somebody looks. */
    public @Nullable ExchangeWatch watch() {
        return watch;
    }

    /** Sets the watch over its exchanges; null ends it. Any thread. */
    public void watch(@Nullable ExchangeWatch next) {
        watch = next;
    }

    /** A final response was sent; 101 is one as well. A status beyond 599 counts as 5xx (RFC 9110 15). */
    public void responded(int status) {
        incrementAt(ListenerMetric.RESPONSES, Math.min(status / 100, CLASSES) - 1);
    }
}
