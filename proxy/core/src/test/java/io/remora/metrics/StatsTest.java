package io.remora.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Endpoints join and leave, on one event loop after the other. */
final class StatsTest {
    private static final String OPENED = "remora_backend_connections_opened_total{cluster=\"app\",endpoint=\"%s\"}";
    private static final String FAILED =
            "remora_endpoint_outcomes_total{cluster=\"app\",endpoint=\"%s\",outcome=\"failure\"}";

    private final Stats stats = new Stats();
    private final EndpointStats first = counted("10.0.0.1:80");
    private final EndpointStats second = counted("10.0.0.1:80");
    private final EndpointStats other = counted("10.0.0.2:80");

    private EndpointStats counted(String endpoint) {
        EndpointStats added = stats.add(new EndpointStats("app", endpoint));
        added.add(EndpointMetric.OPENED, 5);
        added.increment(EndpointMetric.OUTCOMES, "failure");
        return added;
    }

    @Test
    void aTotalStaysWholeUntilTheLastLoopHasLetGo() {
        stats.remove(first);
        assertThat(sample(OPENED, "10.0.0.1:80")).isEqualTo(10.0);
        assertThat(sample(FAILED, "10.0.0.1:80")).isEqualTo(2.0);
        second.increment(EndpointMetric.OPENED);
        assertThat(sample(OPENED, "10.0.0.1:80")).isEqualTo(11.0);
        stats.remove(second);
        assertThat(sample(OPENED, "10.0.0.1:80")).isNull();
        assertThat(sample(OPENED, "10.0.0.2:80")).isEqualTo(5.0);
        stats.remove(other);
        assertThat(stats.endpoints()).isEmpty();
    }

    @Test
    void anEndpointThatComesBackStartsAnew() {
        stats.remove(first);
        stats.remove(second);
        counted("10.0.0.1:80");
        assertThat(sample(OPENED, "10.0.0.1:80")).isEqualTo(5.0);
    }

    @Test
    void comingAndGoingLeavesNoMoreThanOneEntryBehind() {
        for (int i = 0; i < 100; i++) {
            stats.remove(counted("10.0.0.1:80"));
        }
        assertThat(stats.endpoints()).hasSize(4);
        assertThat(sample(OPENED, "10.0.0.1:80")).isEqualTo(510.0);
    }

    /** As an operator reads them: an endpoint keeps its place whichever loop lets it go. */
    @Test
    void endpointsStandInTheOrderInWhichTheyCameUp() {
        counted("10.0.0.3:80");
        stats.remove(first);
        stats.remove(other);
        assertThat(stats.endpoints().stream().map(one -> one.endpoint).distinct())
                .containsExactly("10.0.0.1:80", "10.0.0.3:80");
        assertThat(stats.endpoints()).doesNotContain(first, other).contains(second);
    }

    @Test
    void clustersWithTheSameEndpointAreApart() {
        EndpointStats another = stats.add(new EndpointStats("other", "10.0.0.1:80"));
        stats.remove(first);
        stats.remove(second);
        assertThat(stats.endpoints()).containsExactly(other, another);
    }

    @Test
    void whatWasRemovedBeforeIsRemovedOnce() {
        stats.remove(first);
        stats.remove(first);
        assertThat(sample(OPENED, "10.0.0.1:80")).isEqualTo(10.0);
    }

    private Double sample(String series, String endpoint) {
        String text = Exposed.text(new Exposition(stats, new LatencyTotals(stats)));
        return PrometheusLint.of(text).samples().get(series.replace("%s", endpoint));
    }
}
