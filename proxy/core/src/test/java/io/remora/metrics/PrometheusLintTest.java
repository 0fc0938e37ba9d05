package io.remora.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A linter that never complains proves nothing. */
final class PrometheusLintTest {
    private static final String COUNTER = "# HELP a_total Counts this.\n# TYPE a_total counter\n";
    private static final String HISTOGRAM = "# HELP h_seconds Times that.\n# TYPE h_seconds histogram\n";

    @Test
    void whatIsRightPasses() {
        PrometheusLint lint = PrometheusLint.of(
                COUNTER
                        + "a_total{x=\"1\",y=\"\\\\ \\\" \\n}\"} 3\na_total{x=\"2\"} 4.5E7\n"
                        + HISTOGRAM
                        + "h_seconds_bucket{le=\"0.1\"} 1\nh_seconds_bucket{le=\"+Inf\"} 2\nh_seconds_sum 7\nh_seconds_count 2\n");
        assertThat(lint.problems()).isEmpty();
        assertThat(lint.samples()).containsEntry("a_total{x=\"2\"}", 4.5e7).hasSize(6);
        assertThat(lint.types()).containsEntry("a_total", "counter").containsEntry("h_seconds", "histogram");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a_total 1\n",
                COUNTER + "a_total 1",
                COUNTER + "b_total 1\n",
                COUNTER + "a_total -1\n",
                COUNTER + "a_total NaN\n",
                COUNTER + "a_total x\n",
                COUNTER + "a_total  1\n",
                COUNTER + "a_total 1\na_total 2\n",
                COUNTER + "a_total{x=\"1\",y=\"2\"} 1\na_total{y=\"2\",x=\"1\"} 2\n",
                COUNTER + "a_total{x=\"1\",x=\"2\"} 1\n",
                COUNTER + "a_total{x=\"\\t\"} 1\n",
                COUNTER + "a_total{x=\"\"\"} 1\n",
                COUNTER + "a_total{x=1} 1\n",
                COUNTER + "a_total{__x=\"1\"} 1\n",
                COUNTER + "a_total{le=\"1\"} 1\n",
                COUNTER + "a_total{quantile=\"1\"} 1\n",
                COUNTER + COUNTER + "a_total 1\n",
                "# TYPE a_total counter\na_total 1\n",
                "# HELP a_total Counts this.\na_total 1\n",
                "# HELP a_total x\n# TYPE a_total counter\na_total 1\n",
                "# HELP a Counts this.\n# TYPE a counter\na 1\n",
                "# HELP a_total Counts this.\n# TYPE a_total gauge\na_total 1\n",
                "# HELP a_ms Counts this.\n# TYPE a_ms gauge\na_ms 1\n",
                "# HELP a_gauge Counts this.\n# TYPE a_gauge gauge\na_gauge 1\n",
                "# HELP aB Counts this.\n# TYPE aB gauge\naB 1\n",
                HISTOGRAM + "h_seconds_bucket{le=\"+Inf\"} 2\nh_seconds_sum 7\nh_seconds_count 3\n",
                HISTOGRAM + "h_seconds_bucket{le=\"1\"} 2\nh_seconds_sum 7\nh_seconds_count 2\n",
                HISTOGRAM + "h_seconds_bucket{le=\"+Inf\"} 2\nh_seconds_count 2\n",
                HISTOGRAM
                        + "h_seconds_bucket{le=\"1\"} 3\nh_seconds_bucket{le=\"+Inf\"} 2\nh_seconds_sum 7\nh_seconds_count 2\n",
                HISTOGRAM
                        + "h_seconds_bucket{le=\"2\"} 1\nh_seconds_bucket{le=\"1\"} 1\nh_seconds_bucket{le=\"+Inf\"} 2\n"
                        + "h_seconds_sum 7\nh_seconds_count 2\n",
            })
    void whatIsWrongDoesNot(String text) {
        assertThat(PrometheusLint.of(text).problems()).isNotEmpty();
    }
}
