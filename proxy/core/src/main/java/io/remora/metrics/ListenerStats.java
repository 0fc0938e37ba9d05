package io.remora.metrics;

/** What one event loop counts for one listener. */
public final class ListenerStats extends Counts<ListenerMetric> {
    private static final ListenerMetric[] TABLE = ListenerMetric.values();

    public final String listener;

    /**
     * @param failures the label of every failure there is
     */
    public ListenerStats(String listener, String... failures) {
        super(TABLE, new String[] {listener}, failures);
        this.listener = listener;
    }

    /** A final response was sent; 101 is one as well. */
    public void responded(int status) {
        incrementAt(ListenerMetric.RESPONSES, status / 100 - 1);
    }
}
