package io.remora.balance;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ApertureTest {
    private static final int REQUESTS = 2_000;

    /** What all sidecars together do to the endpoints: the most requests of one, relative to the mean. */
    private static double mostLoaded(int sidecars, int endpoints, boolean positions) {
        long[] requests = new long[endpoints];
        for (int i = 0; i < sidecars; i++) {
            double offset = positions ? Aperture.offset(i, sidecars) : Aperture.offset("pod-" + i);
            Aperture<SimNode> aperture = new Aperture<>(new Draw(i), null, offset, positions ? sidecars : 0, 12);
            List<SimNode> nodes = SimulationTest.nodes(endpoints, aperture);
            aperture.update(nodes);
            Set<SimNode> used = new HashSet<>();
            for (int j = 0; j < REQUESTS; j++) {
                SimNode node = aperture.pick(0, 0, null);
                node.begin();
                used.add(node);
            }
            assertThat(used).hasSizeLessThanOrEqualTo(most(sidecars, endpoints, positions));
            for (int j = 0; j < endpoints; j++) {
                requests[j] += nodes.get(j).picks;
            }
        }
        long most = 0;
        for (long count : requests) {
            most = Math.max(most, count);
        }
        return most / ((double) sidecars * REQUESTS / endpoints);
    }

    // two at the ends of the arc are there in part
    private static int most(int sidecars, int endpoints, boolean positions) {
        if (!positions) {
            return Math.min(endpoints, 13);
        }
        double part = (double) endpoints / sidecars;
        return (int) Math.min(endpoints, Math.ceil(12 / part - 1e-9) * part + 2);
    }

    /**
     * With a position each, sidecars load all endpoints alike, whatever the two numbers are, as Finagle's documentation claims
     * for its deterministic aperture; each talks to a dozen endpoints.
     */
    @ParameterizedTest
    @CsvSource({"100,50", "30,100", "7,40", "64,1000", "500,13"})
    void positionsLoadAllAlike(int sidecars, int endpoints) {
        assertThat(mostLoaded(sidecars, endpoints, true)).isLessThan(1.1);
    }

    /** By names alone, some endpoints are in more arcs than others. */
    @Test
    void namesDoSoByChanceOnly() {
        double most = mostLoaded(100, 50, false);
        assertThat(most).isBetween(1.1, 2.5);
    }

    /** The arc opens where none of its own can be used. */
    @Test
    void picksBeyondTheArcWhereNobodyInItIsHealthy() {
        Aperture<SimNode> aperture = new Aperture<>(new Draw(1), null, 0, 0, 2);
        List<SimNode> nodes = SimulationTest.nodes(20, aperture);
        aperture.update(nodes);
        Set<SimNode> used = new HashSet<>();
        for (int i = 0; i < REQUESTS; i++) {
            used.add(aperture.pick(0, 0, null));
        }
        assertThat(used).hasSize(2);
        used.forEach(node -> node.healthy = false);
        for (int i = 0; i < REQUESTS; i++) {
            assertThat(aperture.pick(0, 0, null).healthy).isTrue();
        }
    }

    @Test
    void hasNobodyAndOneToo() {
        Aperture<SimNode> aperture = new Aperture<>(new Draw(1), null, 0.99, 0, 12);
        aperture.update(List.of());
        assertThat(aperture.pick(0, 0, null)).isNull();
        List<SimNode> one = SimulationTest.nodes(1, aperture);
        aperture.update(one);
        assertThat(aperture.pick(0, 0, one.get(0))).isSameAs(one.get(0));
    }
}
