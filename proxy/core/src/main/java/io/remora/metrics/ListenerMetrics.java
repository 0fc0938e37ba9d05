package io.remora.metrics;

import java.util.List;

/** What the listeners counted, as text. Pure functions. */
final class ListenerMetrics {
    private static final Metric[] COUNTS = {
        Metric.EXCHANGES_STARTED,
        Metric.EXCHANGES_FINISHED,
        Metric.EXCHANGES_IN_FLIGHT,
        Metric.EXCHANGES_CUT,
        Metric.RETRIES,
        Metric.REQUEST_BODY,
        Metric.RESPONSE_BODY,
        Metric.FRONTEND_ACCEPTED,
        Metric.FRONTEND_ACTIVE,
    };
    private static final Metric[] RESPONSES = {Metric.RESPONSES};
    private static final Metric[] FAILURES = {Metric.FAILURES};
    private static final String[] CLASSES = {"1xx", "2xx", "3xx", "4xx", "5xx"};

    private ListenerMetrics() {}

    static void write(PrometheusText out, List<ListenerStats> all) {
        Rows counts = new Rows(COUNTS.length);
        Rows responses = new Rows(1);
        Rows failures = new Rows(1);
        for (ListenerStats stats : all) {
            addCounts(stats, counts.row(stats.listener, "").sums);
            for (int i = 0; i < CLASSES.length; i++) {
                responses.row(stats.listener, CLASSES[i]).sums[0] +=
                        stats.responses(i + 1).value();
            }
            String[] labels = stats.failureLabels();
            for (int i = 0; i < labels.length; i++) {
                failures.row(stats.listener, labels[i]).sums[0] +=
                        stats.failures(i).value();
            }
        }
        counts.write(out, COUNTS, "listener", "");
        responses.write(out, RESPONSES, "listener", "class");
        failures.write(out, FAILURES, "listener", "failure");
    }

    /**
     * In the order of {@link #COUNTS}. What ended is read before what began, so that no difference is ever negative.
     */
    private static void addCounts(ListenerStats stats, long[] sums) {
        long finished = stats.exchangesFinished.value();
        long started = stats.exchangesStarted.value();
        long closed = stats.connectionsClosed.value();
        long accepted = stats.connectionsAccepted.value();
        sums[0] += started;
        sums[1] += finished;
        sums[2] += started - finished;
        sums[3] += stats.exchangesCut.value();
        sums[4] += stats.retries.value();
        sums[5] += stats.requestBodyBytes.value();
        sums[6] += stats.responseBodyBytes.value();
        sums[7] += accepted;
        sums[8] += accepted - closed;
    }
}
