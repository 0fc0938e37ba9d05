package io.remora.exchange;

import static io.remora.exchange.Overload.MS;
import static io.remora.exchange.Overload.S;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.metrics.AdmissionMetric;
import io.remora.metrics.AdmissionStats;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the adaptive limit lets through, in virtual time, at a backend of twenty threads that serves 2,000 requests a second. */
final class AdaptiveLimitTest {
    private static final int THREADS = 20;
    private static final double CAPACITY = 2_000;
    private static final AdaptiveConfig BY_DEFAULT = new AdaptiveConfig(10, 1_000, 100);

    /** As good as no bound at all. */
    private static final AdaptiveConfig FIXED = new AdaptiveConfig(1_000, 1_000, 100);

    // ---- a steady load

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void refusesNothingOfASteadyLoad(long seed) {
        for (double load : new double[] {0.02, 0.3, 0.7, 0.85}) {
            Overload sim = new Overload(BY_DEFAULT, THREADS, seed);
            sim.run(600 * S, load * CAPACITY);
            assertThat(sim.refused).as("load %s: %s", load, sim).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void refusesNothingForAFewThatTakeLong(long seed) {
        Overload sim = new Overload(BY_DEFAULT, 200, seed).serves(Overload.heavyTail(5 * MS));
        sim.run(600 * S, 2_000);
        assertThat(sim.refused).as(sim.toString()).isZero();
    }

    /** As a collector of garbage makes them. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void refusesNothingForAPause(long seed) {
        Overload sim = new Overload(BY_DEFAULT, THREADS, seed);
        for (int i = 0; i < 60; i++) {
            sim.run(10 * S, CAPACITY / 2);
            sim.pause(200 * MS);
        }
        assertThat(sim.refused).as(sim.toString()).isZero();
    }

    // ---- overload

    /** Without it, hardly any response comes in time; with it, as many as the backend can make. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void servesWhatTheBackendCan(long seed) {
        Overload without = new Overload(FIXED, THREADS, seed);
        Overload sim = new Overload(BY_DEFAULT, THREADS, seed);
        for (Overload each : new Overload[] {without, sim}) {
            each.run(30 * S, CAPACITY / 2);
            each.run(5 * S, 3 * CAPACITY);
            each.forget();
            each.run(60 * S, 3 * CAPACITY);
        }
        assertThat(without.inTime).as(without.toString()).isLessThan((long) (0.05 * 60 * CAPACITY));
        assertThat(sim.inTime).as(sim.toString()).isGreaterThan((long) (0.9 * 60 * CAPACITY));
        assertThat(sim.limit.limit()).isBetween(THREADS / 2, 5 * THREADS);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void findsTheBaseInTheMiddleOfAnOverload(long seed) {
        Overload sim = new Overload(BY_DEFAULT, THREADS, seed);
        sim.run(20 * S, 3 * CAPACITY);
        sim.forget();
        sim.run(60 * S, 3 * CAPACITY);
        assertThat(sim.inTime).as(sim.toString()).isGreaterThan((long) (0.85 * 60 * CAPACITY));
    }

    /** The load is the same, and each thread needs four times as long: half of the requests are too many. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void fallsWhereTheBackendIsSaturatedBySlowness(long seed) {
        Overload sim = new Overload(BY_DEFAULT, THREADS, seed).goodWithin(400 * MS);
        sim.run(30 * S, CAPACITY / 2);
        sim.serves(Overload.exponential(40 * MS));
        sim.run(10 * S, CAPACITY / 2);
        assertThat(sim.limit.limit()).as(sim.toString()).isLessThan(200);
        sim.forget();
        sim.run(60 * S, CAPACITY / 2);
        assertThat(sim.inTime).as(sim.toString()).isGreaterThan((long) (0.85 * 60 * CAPACITY / 4));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void recovers(long seed) {
        Overload sim = new Overload(BY_DEFAULT, THREADS, seed);
        sim.run(30 * S, CAPACITY / 2);
        sim.run(30 * S, 3 * CAPACITY);
        sim.run(5 * S, 0.8 * CAPACITY);
        sim.forget();
        sim.run(60 * S, 0.8 * CAPACITY);
        assertThat(sim.refused).as(sim.toString()).isLessThan((long) (0.005 * 60 * CAPACITY));
        sim.forget();
        sim.run(60 * S, 0.8 * CAPACITY);
        assertThat(sim.refused).as(sim.toString()).isZero();
    }

    /** Returns a run in which the backend slows down from 15 to 70 ms, and is judged to have become slower itself. */
    private static Overload judgedSlower(long seed) {
        Overload sim = new Overload(BY_DEFAULT, THREADS, seed).serves(Overload.exponential(15 * MS));
        sim.crowd(2, 30 * S);
        sim.serves(Overload.exponential(70 * MS));
        sim.crowd(20, 10 * S);
        assertThat(sim.stats.value(AdmissionMetric.CUTS, "other"))
                .as(sim.toString())
                .isPositive();
        return sim;
    }

    /** A slow moment of the host is judged as a slow backend, and a crowd comes before it ends. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void reviewsAVerdictThatTheBackendBecameSlower(long seed) {
        Overload sim = judgedSlower(seed);
        sim.serves(Overload.exponential(15 * MS));
        sim.crowd(125, 20 * S);
        sim.forget();
        sim.crowd(125, 60 * S);
        assertThat(sim.limit.limit()).as(sim.toString()).isBetween(THREADS / 2, 3 * THREADS);
        assertThat(sim.inTime).as(sim.toString()).isGreaterThan((long) (0.85 * 60 * S / (15 * MS) * THREADS));
    }

    /** Reviews of a verdict that is right, which hardly refuse anything. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void aVerdictThatIsRightStands(long seed) {
        Overload sim = judgedSlower(seed);
        sim.forget();
        // a slower backend alone is no reason for one
        sim.serves(Overload.exponential(85 * MS));
        sim.crowd(18, 120 * S);
        assertThat(sim.refused).as(sim.toString()).isZero();
        // more clients as well, within the tolerance
        sim.crowd(24, 240 * S);
        assertThat(sim.refused).as(sim.toString()).isLessThan(sim.arrived / 50);
    }

    // ---- a latency that is not the load's

    /** Whom the backend asks has become five times as slow, and the backend has threads enough. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void doesNotCollapseWhereTheLatencyDrifts(long seed) {
        Overload sim = new Overload(BY_DEFAULT, 2_000, seed);
        sim.run(30 * S, 1_000);
        sim.forget();
        sim.serves(Overload.exponential(50 * MS));
        long sinceNs = sim.nowNs();
        sim.run(60 * S, 1_000);
        assertThat(sim.lastRefusedNs - sinceNs).as(sim.toString()).isLessThan(5 * S);
        assertThat(sim.refused).as(sim.toString()).isLessThan(1_000);
        assertThat(sim.limit.limit()).isGreaterThan(500);
        assertThat(sim.stats.value(AdmissionMetric.CUTS, "other")).isPositive();
        sim.serves(Overload.exponential(5 * MS));
        sim.forget();
        sim.run(60 * S, 1_000);
        assertThat(sim.refused).as("faster again: %s", sim).isZero();
    }

    @Test
    void followsALatencyThatDriftsSlowly() {
        Overload sim = new Overload(BY_DEFAULT, 2_000, 1);
        for (int i = 10; i < 100; i++) {
            sim.serves(Overload.exponential(i * MS));
            sim.run(5 * S, 1_000);
        }
        assertThat(sim.refused).as(sim.toString()).isLessThan((long) (0.01 * 90 * 5 * 1_000));
        assertThat(sim.limit.limit()).isGreaterThan(500);
    }

    /** It has fallen to its least in an overload, and then the backend itself becomes slow: the limit does not stay there. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void risesFromItsLeast(long seed) {
        Overload sim = new Overload(new AdaptiveConfig(20, 1_000, 100), THREADS, seed);
        sim.run(30 * S, CAPACITY / 2);
        sim.run(30 * S, 3 * CAPACITY);
        assertThat(sim.limit.limit()).isLessThan(100);
        Overload slow = new Overload(new AdaptiveConfig(20, 1_000, 100), 2_000, seed);
        slow.run(30 * S, 200);
        slow.serves(Overload.exponential(500 * MS));
        slow.run(60 * S, 1_000);
        slow.forget();
        slow.run(60 * S, 1_000);
        assertThat(slow.refused).as(slow.toString()).isZero();
    }

    // ---- failures

    /** Connects that are refused while the application starts are faster than any response. */
    @Test
    void knowsNoBaseUntilSomethingHasBeenAnswered() {
        AdaptiveLimit limit = new AdaptiveLimit(BY_DEFAULT, new AdmissionStats("test"), 0);
        for (int i = 1; i <= 400; i++) {
            limit.learnAtLeast(MS / 5, i * 2 * MS);
        }
        assertThat(limit.baseNs()).isZero();
        for (int i = 1; i <= 400; i++) {
            limit.learn(5 * MS, S + i * 2 * MS);
        }
        assertThat(limit.baseNs()).isBetween(48 * MS / 10, 52 * MS / 10);
    }

    // ---- bounds

    /** More may be under way than the bound lets in: those that were let in before it fell. */
    @Test
    void aCutNeverRaisesTheLimit() {
        LatencyGradient hot = new LatencyGradient(new AdaptiveConfig(10, 40, 100));
        hot.window(MS, 1, 1, false, 0);
        for (int i = 1; i <= 3; i++) {
            hot.window(100 * MS, 100, 40, true, i * S);
            assertThat(hot.limit()).as("window %d", i).isEqualTo(40);
        }
        LatencyGradient probing = new LatencyGradient(new AdaptiveConfig(10, 40, 100));
        probing.window(MS, 1, 1, false, 0);
        probing.window(MS, 100, 40, true, S);
        assertThat(probing.limit()).isEqualTo(40);
        LatencyGradient lower = new LatencyGradient(new AdaptiveConfig(10, 40, 100));
        lower.window(MS, 1, 1, false, 0);
        lower.window(MS, 40, 40, true, S);
        assertThat(lower.limit()).isEqualTo(24);
    }

    @Test
    void keepsItsBounds() {
        Overload sim = new Overload(new AdaptiveConfig(30, 40, 100), THREADS, 1);
        for (int i = 0; i < 60; i++) {
            sim.run(S, i % 20 < 10 ? 3 * CAPACITY : CAPACITY / 10);
            assertThat(sim.limit.limit()).isBetween(30, 40);
        }
    }

    @Test
    void quantilesAreThoseOfWhatWasCounted() {
        for (long ns = 1_024; ns < 100 * S; ns += ns / 3) {
            int step = LatencyScale.step(ns);
            assertThat(LatencyScale.fromNs(step)).isLessThanOrEqualTo(ns);
            assertThat(LatencyScale.fromNs(step + 1)).isGreaterThan(ns);
        }
        int[] counts = new int[LatencyScale.SIZE];
        for (int i = 1; i <= 1_000; i++) {
            counts[LatencyScale.step(i * MS)]++;
        }
        assertThat(LatencyScale.quantileNs(counts, 0.5)).isBetween(480 * MS, 520 * MS);
        assertThat(LatencyScale.quantileNs(counts, 0.95)).isBetween(920 * MS, 980 * MS);
        assertThat(LatencyScale.quantileNs(new int[LatencyScale.SIZE], 0.5)).isZero();
        assertThat(LatencyScale.step(Long.MAX_VALUE)).isEqualTo(LatencyScale.SIZE - 1);
        assertThat(LatencyScale.step(-1)).isZero();
    }
}
