package io.remora.balance;

import static io.remora.balance.Simulation.MS;
import static io.remora.balance.Simulation.S;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Each balancer before endpoints that are alike, weighted, slow, dead and new, in virtual time, by the figures of the papers
 * and of the project's bars. Every run follows from its seed.
 */
final class SimulationTest {
    private static final double RATE = 1_000;

    /** The balancers that look at load, and with these two bounds at latency and failures. */
    enum Kind {
        LEAST_LOADED,
        PEAK_EWMA,
        APERTURE,
        ROUND_ROBIN,
        MAGLEV;

        Balancer<SimNode> balancer(long seed) {
            return balancer(seed, null);
        }

        Balancer<SimNode> balancer(long seed, SlowStart slowStart) {
            Draw draw = new Draw(seed);
            return switch (this) {
                case LEAST_LOADED -> new LeastLoaded<>(draw, slowStart);
                case PEAK_EWMA -> new PeakEwma<>(draw, slowStart, 10 * S);
                case APERTURE -> new Aperture<>(draw, slowStart, 0.3, 0, 12);
                case ROUND_ROBIN -> new RoundRobin<>(seed, slowStart);
                case MAGLEV -> new Maglev<>(1.25, slowStart);
            };
        }
    }

    // ---- the power of two choices

    /**
     * Balls into bins (Azar, Broder, Karlin, Upfal: Balanced Allocations, 1999): n balls by two choices leave the fullest of n
     * bins with log log n / log 2 + O(1) balls; Mitzenmacher's table for about a thousand bins has 3, seldom 4. One choice
     * leaves about log n / log log n of them, 5 to 7 for a thousand.
     */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void twoChoicesKeepTheMostLoadedNearTheMean(long seed) {
        int bins = 1_000;
        LeastLoaded<SimNode> balancer = new LeastLoaded<>(new Draw(seed), null);
        List<SimNode> nodes = nodes(bins, balancer);
        balancer.update(nodes);
        Draw draw = new Draw(seed);
        int[] byOne = new int[bins];
        int mostByOne = 0;
        int most = 0;
        for (int i = 0; i < bins; i++) {
            SimNode node = balancer.pick(0, 0, null);
            node.begin();
            most = Math.max(most, node.load);
            mostByOne = Math.max(mostByOne, ++byOne[draw.below(bins)]);
        }
        assertThat(most).isBetween(3, 4);
        assertThat(mostByOne).as("one choice").isGreaterThanOrEqualTo(5);
    }

    /**
     * The supermarket model (Mitzenmacher 1996; Vvedenskaya, Dobrushin, Karpelevich): at a utilization of 0.9 a request spends
     * the sum of 0.9^(2^i - 2) service times in the system, 2.61 of them, where one choice makes it 10.
     */
    @Test
    void twoChoicesQueueAsTheSupermarketModelSays() {
        double utilization = 0.9;
        double expected = 0;
        for (int i = 1; i < 10; i++) {
            expected += Math.pow(utilization, Math.pow(2, i) - 2);
        }
        int servers = 200;
        Simulation simulation =
                new Simulation(Kind.LEAST_LOADED.balancer(5), 6).queueing().add(servers);
        for (SimNode node : simulation.nodes) {
            node.service = SimNode.exponential(10 * MS);
        }
        simulation.run(60 * S, utilization * servers * 100);
        assertThat(simulation.meanLatencyNs() / (10 * MS)).isCloseTo(expected, within(0.15 * expected));
    }

    // ---- shares

    @ParameterizedTest
    @EnumSource
    void thoseThatAreAlikeGetAlike(Kind kind) {
        Simulation simulation = new Simulation(kind.balancer(7), 8).add(10).keys(1_000_000);
        simulation.run(60 * S, RATE);
        for (SimNode node : simulation.nodes) {
            assertThat(simulation.share(node, 60 * S)).as(node.name()).isCloseTo(0.1, within(0.01));
        }
    }

    /** What is drawn is drawn by weight, so that weights hold with little load too, where nothing else tells nodes apart. */
    @ParameterizedTest
    @EnumSource
    void theHeavierGetMore(Kind kind) {
        for (double rate : new double[] {20, 1_000}) {
            Simulation simulation = new Simulation(kind.balancer(9), 10).add(5).keys(1_000_000);
            int sum = 0;
            for (int i = 0; i < 5; i++) {
                simulation.node(i).weight = i + 1;
                sum += i + 1;
            }
            simulation.update();
            long durationNs = (long) (60_000 / rate * S);
            simulation.run(durationNs, rate);
            for (SimNode node : simulation.nodes) {
                double due = (double) node.weight / sum;
                assertThat(simulation.share(node, durationNs))
                        .as("%s of weight %d at %s", node.name(), node.weight, rate)
                        .isCloseTo(due, within(off(kind) * due));
            }
        }
    }

    /** Two choices even out what differs: load at once, and latencies even where these differ by chance only. */
    private static double off(Kind kind) {
        return switch (kind) {
            case ROUND_ROBIN -> 0.01;
            case MAGLEV -> 0.1;
            case LEAST_LOADED, APERTURE -> 0.25;
            case PEAK_EWMA -> 0.7;
        };
    }

    // ---- one that is slow

    /**
     * The bar: slowed from 5 to 500 ms, one of three gets less than 5 % within 3 seconds, at 1,000 requests a second.
     */
    @ParameterizedTest
    @EnumSource(names = {"LEAST_LOADED", "PEAK_EWMA", "APERTURE"})
    void aSlowOneIsShed(Kind kind) {
        for (long seed = 20; seed < 25; seed++) {
            Simulation simulation = slowed(kind, seed);
            assertThat(simulation.share(simulation.node(0), S))
                    .as("seed %d", seed)
                    .isLessThan(0.05);
        }
    }

    /** Who does not look at load keeps sending: what the test above judges is the balancer's doing. */
    @Test
    void roundRobinDoesNotShed() {
        Simulation simulation = slowed(Kind.ROUND_ROBIN, 20);
        assertThat(simulation.share(simulation.node(0), S)).isCloseTo(1 / 3.0, within(0.01));
    }

    private static Simulation slowed(Kind kind, long seed) {
        Simulation simulation = new Simulation(kind.balancer(seed), -seed).add(3);
        simulation.run(5 * S, RATE);
        assertThat(simulation.share(simulation.node(0), 2 * S)).isBetween(0.2, 0.45);
        simulation.node(0).service = SimNode.exponential(500 * MS);
        simulation.run(3 * S, RATE);
        return simulation;
    }

    /** With a decay of 10 s, what was 100 times as slow is tried again within 10 s x ln 100 = 46 s, and then believed. */
    @Test
    void peakEwmaComesBackToWhoIsNoLongerSlow() {
        Simulation simulation = slowed(Kind.PEAK_EWMA, 26);
        simulation.node(0).service = SimNode.exponential(5 * MS);
        simulation.run(5 * S, RATE);
        assertThat(simulation.share(simulation.node(0), S)).isLessThan(0.05);
        simulation.run(60 * S, RATE);
        assertThat(simulation.share(simulation.node(0), 5 * S)).isGreaterThan(0.15);
    }

    /** An endpoint that answers its first request after a minute, as one that is asked to wait for news, is not left out for so long. */
    @Test
    void peakEwmaDoesNotLeaveOutWhoseFirstRequestIsLong() {
        Simulation simulation = new Simulation(Kind.PEAK_EWMA.balancer(27), 28).add(3);
        SimNode node = simulation.node(0);
        SimNode.Service usual = node.service;
        node.service = (random, nowNs) -> node.picks == 1 ? 60 * S : usual.takesNs(random, nowNs);
        simulation.run(5 * S, RATE);
        assertThat(simulation.share(node, S)).isGreaterThan(0.15);
        assertThat(node.load()).as("the first one is under way").isPositive();
    }

    // ---- one that is dead

    /** It refuses in 0.2 ms, and has no attempt under way, hence would be the least loaded and the fastest of all. */
    @ParameterizedTest
    @EnumSource(names = {"LEAST_LOADED", "PEAK_EWMA", "APERTURE"})
    void aDeadOneIsNotTakenForAFastOne(Kind kind) {
        Simulation simulation = new Simulation(kind.balancer(30), 31).add(3);
        simulation.run(5 * S, RATE);
        simulation.node(1).dead = true;
        simulation.run(5 * S, RATE);
        assertThat(simulation.share(simulation.node(1), 3 * S)).isLessThan(0.01);
        simulation.node(1).dead = false;
        simulation.run(60 * S, RATE);
        assertThat(simulation.share(simulation.node(1), 5 * S)).isGreaterThan(0.15);
    }

    /** The same without what counts failures: two in three of all draws have the dead one, which wins nearly all of them. */
    @Test
    void loadAloneTakesADeadOneForTheLeastLoaded() {
        LeastLoaded<SimNode> balancer = new LeastLoaded<>(new Draw(32), null);
        Simulation simulation = new Simulation(balancer, 33);
        for (int i = 0; i < 3; i++) {
            simulation.nodes.add(new SimNode("a" + i, (History) null));
        }
        simulation.node(1).dead = true;
        simulation.update();
        simulation.run(5 * S, RATE);
        assertThat(simulation.share(simulation.node(1), 3 * S)).isGreaterThan(0.5);
    }

    /** What somebody else has found unhealthy gets nothing, as long as there is anybody else. */
    @ParameterizedTest
    @EnumSource
    void whoIsUnhealthyGetsNothing(Kind kind) {
        Simulation simulation = new Simulation(kind.balancer(34), 35).add(10);
        for (int i = 0; i < 10; i++) {
            simulation.node(i).healthy = i == 4;
        }
        simulation.run(S, RATE);
        assertThat(simulation.share(simulation.node(4), S)).isEqualTo(1);
        simulation.node(4).healthy = false;
        simulation.run(S, RATE);
        assertThat(simulation.share(simulation.node(4), S / 2))
                .as("all are as bad")
                .isLessThan(0.9);
    }

    // ---- one that joins

    /**
     * It has a tenth of its share at first and all of it after the window (Envoy's slow start with its default of 10 % and a
     * linear ramp). Of four, at half of the window, that is 0.5 / 3.5. Who looks at load comes near that only, because whoever
     * is new has less under way than the others.
     */
    @ParameterizedTest
    @EnumSource(names = {"LEAST_LOADED", "APERTURE", "ROUND_ROBIN", "MAGLEV"})
    void whoJoinsComesToItsShareSlowly(Kind kind) {
        Simulation simulation = joined(kind, 30 * S);
        simulation.run(S, RATE);
        assertThat(simulation.share(simulation.node(3), S)).as("at first").isBetween(0.01, 0.08);
        simulation.run(14 * S + S / 2, RATE);
        assertThat(simulation.share(simulation.node(3), S)).as("at half").isCloseTo(0.5 / 3.5, within(0.07));
        simulation.run(20 * S, RATE);
        assertThat(simulation.share(simulation.node(3), 2 * S)).as("at the end").isCloseTo(0.25, within(0.05));
    }

    /** One that is cold, ten times as slow as the others, is spared by its latency as well. */
    @Test
    void whoJoinsColdIsSparedByPeakEwma() {
        Simulation simulation = joined(Kind.PEAK_EWMA, 30 * S);
        simulation.node(3).service = SimNode.exponential(50 * MS);
        simulation.run(5 * S, RATE);
        assertThat(simulation.share(simulation.node(3), 5 * S)).isLessThan(0.05);
    }

    @Test
    void withoutSlowStartWhoJoinsGetsItsShareAtOnce() {
        Simulation simulation = joined(Kind.ROUND_ROBIN, 0);
        simulation.run(S, RATE);
        assertThat(simulation.share(simulation.node(3), S)).isCloseTo(0.25, within(0.01));
    }

    private static Simulation joined(Kind kind, long windowNs) {
        Balancer<SimNode> balancer = kind.balancer(40, windowNs == 0 ? null : new SlowStart(windowNs));
        Simulation simulation = new Simulation(balancer, 41).add(3).keys(1_000_000);
        simulation.run(2 * S, RATE);
        simulation.add(1);
        simulation.node(3).joinedNs = simulation.nowNs();
        return simulation;
    }

    static List<SimNode> nodes(int number, Balancer<SimNode> balancer) {
        List<SimNode> nodes = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            nodes.add(new SimNode("10.0." + i / 250 + "." + i % 250 + ":8080", balancer));
        }
        return nodes;
    }
}
