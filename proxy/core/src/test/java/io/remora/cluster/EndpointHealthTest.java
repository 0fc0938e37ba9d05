package io.remora.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.model.Limits;
import io.remora.metrics.ClusterMetric;
import io.remora.metrics.ClusterStats;
import io.remora.metrics.EndpointView;
import io.remora.metrics.Stats;
import io.remora.naming.Endpoint;
import io.remora.stream.Verdict;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** When an endpoint is out of use and when it is back, in virtual time. */
final class EndpointHealthTest {
    private static final long S = 1_000_000_000L;
    private static final HealthCheckConfig CHECK = new HealthCheckConfig(null, null, null, S, S, 3, 2);

    private final ClusterStats stats = new ClusterStats("app");
    private final List<EndpointHealth> all = new ArrayList<>();
    private final Object node = new Object();
    private long nowNs = -7 * S;
    private @Nullable ClusterHealth cluster;

    private EndpointHealth of(int endpoints, int panic, @Nullable AccrualConfig accrual) {
        ResilienceConfig config = new ResilienceConfig(panic, accrual, null, CHECK);
        cluster = new ClusterHealth("app", config, stats, new Stats(), () -> nowNs, null);
        for (int i = 0; i < endpoints; i++) {
            all.add(cluster.join(endpoint(i)));
        }
        return all.get(0);
    }

    private static Endpoint endpoint(int number) {
        return Endpoint.of("a:" + (number + 1), InetSocketAddress.createUnresolved("a", number + 1));
    }

    private static AccrualConfig consecutive(int maxEjected) {
        return new AccrualConfig(5, 0, 100, Limits.UNLIMITED, 5 * S, 300 * S, maxEjected);
    }

    private static AccrualConfig rate(int percent, int requests, long windowNs) {
        return new AccrualConfig(0, percent, requests, windowNs, 5 * S, 300 * S, 50);
    }

    private void end(EndpointHealth health, Verdict verdict, int times) {
        for (int i = 0; i < times; i++) {
            health.begins(node);
            health.ended(node, verdict, nowNs);
        }
    }

    private long ejections() {
        return stats.value(ClusterMetric.EJECTIONS, "consecutive")
                + stats.value(ClusterMetric.EJECTIONS, "success-rate");
    }

    @Test
    void failuresInARowTakeItOut() {
        EndpointHealth health = of(2, 50, consecutive(50));
        end(health, Verdict.FAILURE, 4);
        end(health, Verdict.SUCCESS, 1);
        end(health, Verdict.RETRYABLE, 4);
        end(health, Verdict.IGNORED, 10);
        assertThat(health.isUsable()).isTrue();
        end(health, Verdict.FAILURE, 1);
        assertThat(health.isUsable()).isFalse();
        assertThat(all.get(1).isUsable()).isTrue();
        assertThat(ejections()).isOne();
        assertThat(stats.value(ClusterMetric.EJECTED)).isOne();
    }

    @Test
    void oneRequestTriesItAfterItsTime() {
        EndpointHealth health = of(2, 0, consecutive(50));
        end(health, Verdict.FAILURE, 5);
        nowNs += 5 * S - 1;
        assertThat(health.isUsable()).isFalse();
        nowNs += 2 * S;
        assertThat(health.isUsable()).isTrue();
        health.begins(node);
        assertThat(health.isUsable()).as("while it is tried").isFalse();
        health.ended(node, Verdict.IGNORED, nowNs);
        assertThat(health.isUsable()).as("the try said nothing").isTrue();
        health.begins(node);
        health.ended(node, Verdict.SUCCESS, nowNs);
        assertThat(health.isUsable()).isTrue();
        assertThat(stats.value(ClusterMetric.EJECTED)).isZero();
    }

    /** What began before the endpoint was out of use is not what tries it, however late it ends. */
    @Test
    void aLeftoverIsNotTakenForTheOneThatTriesIt() {
        EndpointHealth health = of(2, 0, consecutive(50));
        Object good = new Object();
        Object bad = new Object();
        Object trying = new Object();
        assertThat(health.begins(good)).isFalse();
        assertThat(health.begins(bad)).isFalse();
        end(health, Verdict.FAILURE, 5);
        nowNs += 7 * S;
        health.ended(good, Verdict.SUCCESS, nowNs);
        assertThat(stats.value(ClusterMetric.EJECTED)).isOne();
        assertThat(health.begins(trying)).isTrue();
        assertThat(health.begins(new Object())).as("one at a time").isFalse();
        health.answered(good);
        health.ended(bad, Verdict.FAILURE, nowNs);
        health.ended(good, Verdict.IGNORED, nowNs);
        assertThat(health.isUsable()).as("it is still being tried").isFalse();
        assertThat(stats.value(ClusterMetric.EJECTED)).isOne();
        health.ended(trying, Verdict.SUCCESS, nowNs);
        assertThat(stats.value(ClusterMetric.EJECTED)).isZero();
    }

    /** What a stream says that goes on for long is not waited for much longer than its endpoint was out. */
    @Test
    void aTryThatOnlyItsEndJudgesIsGoodOnceItHasLasted() {
        EndpointHealth health = of(2, 0, consecutive(50));
        end(health, Verdict.FAILURE, 5);
        nowNs += 7 * S;
        health.begins(node);
        nowNs += 30 * S;
        assertThat(health.isUsable()).as("not answered").isFalse();
        health.begunToAnswer(new Object());
        health.begunToAnswer(node);
        nowNs += 5 * S - 1;
        assertThat(health.isUsable()).as("its end is to say").isFalse();
        nowNs += 2 * S;
        assertThat(health.isUsable()).isTrue();
        assertThat(health.begins(new Object())).isFalse();
        assertThat(stats.value(ClusterMetric.EJECTED)).isZero();
        health.ended(node, Verdict.FAILURE, nowNs);
        assertThat(health.isUsable()).as("one failure as any other").isTrue();
    }

    @Test
    void aTryThatFailsAtItsEndKeepsItOut() {
        EndpointHealth health = of(2, 0, consecutive(50));
        end(health, Verdict.FAILURE, 5);
        nowNs += 7 * S;
        health.begins(node);
        health.begunToAnswer(node);
        health.ended(node, Verdict.FAILURE, nowNs);
        assertThat(stats.value(ClusterMetric.EJECTED)).isOne();
        nowNs += 13 * S;
        assertThat(health.begins(node)).as("another try").isTrue();
        assertThat(health.isUsable()).as("what began before is forgotten").isFalse();
    }

    @Test
    void staysOutTwiceAsLongEachTimeUpToABound() {
        EndpointHealth health = of(2, 0, consecutive(50));
        end(health, Verdict.FAILURE, 5);
        long expectedNs = 5 * S;
        for (int i = 0; i < 12; i++) {
            long fromNs = nowNs;
            nowNs += expectedNs - 1;
            assertThat(health.isUsable()).as("out for %d s", expectedNs / S).isFalse();
            nowNs = fromNs + expectedNs + expectedNs / 4 + 1;
            assertThat(health.isUsable()).as("back after %d s", expectedNs / S).isTrue();
            end(health, Verdict.FAILURE, 1);
            expectedNs = Math.min(2 * expectedNs, 300 * S);
        }
        assertThat(ejections()).isOne();
    }

    @Test
    void whoWasBackForLongBeginsAnew() {
        EndpointHealth health = of(2, 0, consecutive(50));
        for (int i = 0; i < 3; i++) {
            end(health, Verdict.FAILURE, 5);
            nowNs += 7 * S;
            end(health, Verdict.SUCCESS, 1);
            assertThat(health.isUsable()).isTrue();
            nowNs += 300 * S;
        }
        assertThat(ejections()).isEqualTo(3);
    }

    @Test
    void noMoreThanItsShareIsOut() {
        of(4, 0, consecutive(50));
        for (EndpointHealth each : all) {
            end(each, Verdict.FAILURE, 20);
        }
        assertThat(all).filteredOn(EndpointHealth::isUsable).hasSize(2);
        // whoever may go next does so with the next failure
        nowNs += 400 * S;
        end(all.get(0), Verdict.SUCCESS, 1);
        end(all.get(3), Verdict.FAILURE, 1);
        assertThat(all.get(0).isUsable()).isTrue();
        assertThat(all.get(3).isUsable()).isFalse();
    }

    @Test
    void theOnlyOneIsNeverOut() {
        EndpointHealth health = of(1, 50, consecutive(50));
        end(health, Verdict.FAILURE, 100);
        assertThat(health.isUsable()).isTrue();
        assertThat(ejections()).isZero();
    }

    @Test
    void allAreUsedWhereTooFewAreLeft() {
        of(4, 50, consecutive(100));
        end(all.get(0), Verdict.FAILURE, 5);
        end(all.get(1), Verdict.FAILURE, 5);
        assertThat(all).filteredOn(EndpointHealth::isUsable).hasSize(2);
        end(all.get(2), Verdict.FAILURE, 5);
        assertThat(stats.value(ClusterMetric.PANIC)).isOne();
        assertThat(all).allMatch(EndpointHealth::isUsable);
        nowNs += 7 * S;
        end(all.get(2), Verdict.SUCCESS, 1);
        assertThat(stats.value(ClusterMetric.PANIC)).isZero();
    }

    @Test
    void theLastRequestsMustSucceed() {
        EndpointHealth health = of(2, 50, rate(80, 10, Limits.UNLIMITED));
        end(health, Verdict.FAILURE, 2);
        end(health, Verdict.SUCCESS, 8);
        assertThat(health.isUsable()).isTrue();
        end(health, Verdict.FAILURE, 2);
        assertThat(health.isUsable()).as("two of the last ten").isTrue();
        end(health, Verdict.FAILURE, 1);
        assertThat(health.isUsable()).isFalse();
        assertThat(stats.value(ClusterMetric.EJECTIONS, "success-rate")).isOne();
    }

    @Test
    void thoseOfTheWindowMustSucceed() {
        EndpointHealth health = of(2, 50, rate(50, 10, 10 * S));
        end(health, Verdict.FAILURE, 9);
        nowNs += 11 * S;
        end(health, Verdict.FAILURE, 9);
        assertThat(health.isUsable()).as("nine within the window").isTrue();
        end(health, Verdict.FAILURE, 1);
        assertThat(health.isUsable()).isFalse();
    }

    @Test
    void checksTakeItOutAndBringItBack() {
        EndpointHealth health = of(2, 0, null);
        health.checked(CHECK, false);
        health.checked(CHECK, false);
        health.checked(CHECK, true);
        health.checked(CHECK, false);
        health.checked(CHECK, false);
        assertThat(health.isUsable()).isTrue();
        health.checked(CHECK, false);
        assertThat(health.isUsable()).isFalse();
        nowNs += 1_000 * S;
        end(health, Verdict.SUCCESS, 5);
        assertThat(health.isUsable()).isFalse();
        health.checked(CHECK, true);
        health.checked(CHECK, false);
        health.checked(CHECK, true);
        assertThat(health.isUsable()).isFalse();
        health.checked(CHECK, true);
        assertThat(health.isUsable()).isTrue();
        assertThat(stats.value(ClusterMetric.EJECTIONS, "health-check")).isOne();
    }

    // ---- what operators see

    private static EndpointView.Known known(String state, String reason, long stateNs, long returnsNs) {
        return new EndpointView.Known(state, reason, stateNs, returnsNs, 7);
    }

    @Test
    void tellsWhyItIsOutAndForHowLong() {
        EndpointHealth health = of(2, 0, consecutive(50));
        assertThat(health.known(7)).isEqualTo(known("in-use", "", -1, -1));
        end(health, Verdict.FAILURE, 5);
        EndpointView.Known out = health.known(7);
        assertThat(out).isEqualTo(known("out", "consecutive", 0, out.returnsNs()));
        assertThat(out.returnsNs()).isBetween(5 * S, 7 * S);
        nowNs += S;
        assertThat(health.known(7)).isEqualTo(known("out", "consecutive", S, out.returnsNs() - S));
        nowNs += 8 * S;
        assertThat(health.known(7)).isEqualTo(known("out", "consecutive", 9 * S, 0));
        health.begins(node);
        assertThat(health.known(7)).isEqualTo(known("probing", "consecutive", 9 * S, 0));
        health.ended(node, Verdict.SUCCESS, nowNs);
        nowNs += 3 * S;
        assertThat(health.known(7)).isEqualTo(known("in-use", "", 3 * S, -1));
    }

    @Test
    void tellsOfChecksThatFailAndOfPanic() {
        EndpointHealth health = of(2, 100, rate(80, 10, Limits.UNLIMITED));
        for (int i = 0; i < 3; i++) {
            health.checked(CHECK, false);
        }
        nowNs += S;
        assertThat(health.known(7)).isEqualTo(known("panic", "health-check", S, -1));
        end(health, Verdict.FAILURE, 10);
        assertThat(health.known(7)).isEqualTo(known("panic", "success-rate+health-check", S, -1));
    }

    @Test
    void isForgottenWhenTheLastLoopLetsItGo() {
        EndpointHealth health = of(2, 50, consecutive(50));
        assertThat(cluster.join(endpoint(0))).isSameAs(health);
        end(health, Verdict.FAILURE, 5);
        cluster.leave(health);
        assertThat(stats.value(ClusterMetric.EJECTED)).isOne();
        cluster.leave(health);
        assertThat(stats.value(ClusterMetric.EJECTED)).isZero();
        end(health, Verdict.FAILURE, 50);
        health.checked(CHECK, false);
        assertThat(stats.value(ClusterMetric.EJECTED)).isZero();
        assertThat(ejections()).isOne();
        assertThat(cluster.join(endpoint(0))).isNotSameAs(health);
    }
}
