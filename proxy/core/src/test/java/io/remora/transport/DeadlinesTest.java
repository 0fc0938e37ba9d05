package io.remora.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import io.remora.metrics.LatencyRecorder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** On a loop whose time stands still unless a test moves it. */
class DeadlinesTest {
    private static final long BUSY_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long RESTING_NS = TimeUnit.SECONDS.toNanos(1);

    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final LatencyRecorder lag = new LatencyRecorder();
    private final List<Long> expiredAtNs = new ArrayList<>();
    private long nowNs;
    private final Deadlines deadlines = new Deadlines(channel.eventLoop(), () -> nowNs, lag);

    DeadlinesTest() {
        channel.freezeTime();
    }

    @AfterEach
    void close() {
        channel.finishAndReleaseAll();
    }

    @Test
    void trafficIsLookedAtOftenAndRestOnlyOnceItsDeadlineFalls() {
        Deadline deadline = deadlines.add(() -> expiredAtNs.add(nowNs));
        for (int i = 0; i < 50; i++) {
            deadline.set(TimeUnit.SECONDS.toNanos(60));
            pass(BUSY_NS);
        }
        assertThat(ticks()).isEqualTo(50);
        long dueNs = nowNs - BUSY_NS + TimeUnit.SECONDS.toNanos(60);
        pass(TimeUnit.SECONDS.toNanos(70));
        // the one that finds rest, and the deadline's
        assertThat(ticks()).isEqualTo(2);
        assertExpiredOnce(dueNs);
    }

    @Test
    void aDeadlineThatIsSetAtRestIsLateByARestingPeriodAtTheMost() {
        deadlines.add(() -> {}).set(TimeUnit.SECONDS.toNanos(60));
        Deadline deadline = deadlines.add(() -> expiredAtNs.add(nowNs));
        pass(TimeUnit.SECONDS.toNanos(5));
        long dueNs = nowNs + TimeUnit.MILLISECONDS.toNanos(500);
        deadline.set(TimeUnit.MILLISECONDS.toNanos(500));
        pass(TimeUnit.SECONDS.toNanos(20));
        assertExpiredOnce(dueNs);
    }

    @Test
    void aShortDeadlineSharpensTheTicksThatAreUnderWay() {
        deadlines.add(() -> {}).set(TimeUnit.SECONDS.toNanos(60));
        Deadline deadline = deadlines.add(() -> expiredAtNs.add(nowNs));
        long dueNs = nowNs + TimeUnit.MILLISECONDS.toNanos(80);
        deadline.set(TimeUnit.MILLISECONDS.toNanos(80));
        pass(TimeUnit.SECONDS.toNanos(1));
        assertThat(expiredAtNs).singleElement().satisfies(atNs -> assertThat(atNs)
                .isBetween(dueNs, dueNs + TimeUnit.MILLISECONDS.toNanos(10)));
    }

    @Test
    void aSingleOneIsMetInTimeAndLeavesTheOthersTicksAsTheyAre() {
        Deadline deadline = deadlines.add(() -> expiredAtNs.add(nowNs));
        long dueNs = nowNs + TimeUnit.MILLISECONDS.toNanos(30);
        deadline.setOnce(TimeUnit.MILLISECONDS.toNanos(30));
        pass(TimeUnit.SECONDS.toNanos(1));
        assertThat(expiredAtNs).singleElement().satisfies(atNs -> assertThat(atNs)
                .isBetween(dueNs, dueNs + TimeUnit.MILLISECONDS.toNanos(5)));
        ticks();
        for (int i = 0; i < 50; i++) {
            deadlines.add(() -> {}).set(TimeUnit.SECONDS.toNanos(60));
            pass(BUSY_NS);
        }
        assertThat(ticks()).isEqualTo(50);
    }

    @Test
    void manyThatFallOneAfterTheOtherAreMetTogether() {
        for (int i = 0; i < 100; i++) {
            deadlines.add(() -> expiredAtNs.add(nowNs)).set(TimeUnit.MILLISECONDS.toNanos(10_000 + 20 * i));
        }
        pass(TimeUnit.SECONDS.toNanos(20));
        assertThat(expiredAtNs).hasSize(100);
        assertThat(ticks()).isLessThan(8);
    }

    @Test
    void aDeadlineThatIsSetAnewAtItsExpiryExpiresAgain() {
        Deadline[] own = new Deadline[1];
        own[0] = deadlines.add(() -> {
            expiredAtNs.add(nowNs);
            own[0].set(TimeUnit.SECONDS.toNanos(2));
        });
        own[0].set(TimeUnit.SECONDS.toNanos(2));
        pass(TimeUnit.SECONDS.toNanos(30));
        assertThat(expiredAtNs).hasSizeBetween(10, 15);
    }

    private void assertExpiredOnce(long dueNs) {
        assertThat(expiredAtNs).singleElement().satisfies(atNs -> assertThat(atNs)
                .isBetween(dueNs, dueNs + RESTING_NS));
    }

    @Test
    void nothingTicksWithoutAConnection() {
        Deadline deadline = deadlines.add(() -> {});
        deadline.set(TimeUnit.SECONDS.toNanos(60));
        deadline.cancel();
        pass(TimeUnit.SECONDS.toNanos(5));
        ticks();
        pass(TimeUnit.SECONDS.toNanos(60));
        assertThat(ticks()).isZero();
    }

    private void pass(long durationNs) {
        long stepNs = TimeUnit.MILLISECONDS.toNanos(10);
        for (long passedNs = 0; passedNs < durationNs; passedNs += stepNs) {
            nowNs += stepNs;
            channel.advanceTimeBy(stepNs, TimeUnit.NANOSECONDS);
            channel.runScheduledPendingTasks();
        }
    }

    /** Since the last question. */
    private long ticks() {
        Histogram sum = LatencyRecorder.newHistogram();
        lag.drainInto(sum);
        return sum.getTotalCount();
    }
}
