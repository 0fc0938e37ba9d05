package io.remora.metrics;

/**
 * What one event loop counts for one listener; a scrape adds the loops up.
 *
 * <p>Owner: written by its event loop only.
 */
public final class ListenerStats {
    public final String listener;
    public final Counter connectionsAccepted = new Counter();
    public final Counter connectionsClosed = new Counter();
    /** Exchanges whose request header section was read whole and understood, or that failed before that. */
    public final Counter exchangesStarted = new Counter();

    public final Counter exchangesFinished = new Counter();
    /** Finished exchanges that were cut because a drain ran out of time. */
    public final Counter exchangesCut = new Counter();
    /** Bytes of bodies and tunnels read from clients. */
    public final Counter requestBodyBytes = new Counter();
    /** Bytes of bodies and tunnels written to clients. */
    public final Counter responseBodyBytes = new Counter();

    public final Counter retries = new Counter();
    public final Counter repicks = new Counter();
    public final LatencyRecorder proxyTime = new LatencyRecorder();
    public final LatencyRecorder backendTime = new LatencyRecorder();
    public final LatencyRecorder totalTime = new LatencyRecorder();
    private final Counter[] responsesByClass = counters(5);
    private final String[] failureLabels;
    private final Counter[] failures;

    /**
     * @param failureLabels label of each failure, by ordinal
     */
    public ListenerStats(String listener, String[] failureLabels) {
        this.listener = listener;
        this.failureLabels = failureLabels;
        this.failures = counters(failureLabels.length);
    }

    private static Counter[] counters(int count) {
        Counter[] counters = new Counter[count];
        for (int i = 0; i < count; i++) {
            counters[i] = new Counter();
        }
        return counters;
    }

    /** Final responses only: {@code statusClass} is 1 for a switch of protocols, then 2 to 5. */
    public Counter responses(int statusClass) {
        return responsesByClass[statusClass - 1];
    }

    public Counter failures(int ordinal) {
        return failures[ordinal];
    }

    public String[] failureLabels() {
        return failureLabels;
    }
}
