package io.remora.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.model.Limits;
import io.remora.testkit.StandardError;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Ticks at times that the test chooses, of a loop that does what the test says. */
final class LoopWatchTest {
    private static final long LIVE_NS = TimeUnit.SECONDS.toNanos(30);

    @RegisterExtension
    final StandardError standardError = new StandardError();

    private long nowNs = 1L << 60;
    private final LoopWatch watch = new LoopWatch(() -> nowNs, LIVE_NS);
    private final OneLoop loop = new OneLoop();

    private static final class OneLoop extends WatchedLoop {
        private int turns;
        private int stalls;
        private long ranNs;
        private long waitedNs;
        private boolean isRunnable;
        private boolean isKnown = true;

        @Override
        int turns() {
            return turns;
        }

        @Override
        @Nullable
        ThreadTimes times() {
            return isKnown ? new ThreadTimes(ranNs, waitedNs, isRunnable) : null;
        }

        @Override
        StackTraceElement[] stack() {
            return new StackTraceElement[] {
                new StackTraceElement("a.Blocking", "call", "Blocking.java", 7),
                new StackTraceElement("a.Loop", "run", "Loop.java", 8)
            };
        }

        @Override
        void countStall() {
            stalls++;
        }
    }

    @BeforeEach
    void begin() {
        watch.watch(loop);
    }

    private void tick(double seconds) {
        nowNs += (long) (seconds * 1e9);
        watch.run();
    }

    /** @param ran share of the time that the thread has run, the rest up to {@code waited} waiting for a processor */
    private void pass(int seconds, double ran, double waited) {
        for (int i = 0; i < seconds; i++) {
            loop.ranNs += (long) (ran * 1e9);
            loop.waitedNs += (long) (waited * 1e9);
            tick(1);
        }
    }

    private void nothingIsSaid() {
        assertThat(standardError.text()).isEmpty();
        assertThat(loop.stalls).isZero();
        assertThat(watch.isLive()).isTrue();
    }

    @Test
    void aBlockedLoopIsSaidAfterTwoSecondsAndEndsTheProcessAfterTheBound() {
        pass(1, 0, 0);
        pass(1, 0, 0);
        nothingIsSaid();
        pass(1, 0, 0);
        assertThat(standardError.text())
                .endsWith(" WARN event loop 0: stalled for 2000 ms; its connections wait"
                        + " stack=\"a.Blocking.call(Blocking.java:7) < a.Loop.run(Loop.java:8)\"\n");
        pass(27, 0, 0);
        assertThat(watch.isLive()).isTrue();
        pass(1, 0, 0);
        assertThat(watch.isLive()).isFalse();
        loop.turns += 2;
        pass(1, 0, 0);
        assertThat(watch.isLive()).isTrue();
        assertThat(loop.stalls).isEqualTo(1);
        assertThat(standardError.lines()).hasSize(2).last().asString().endsWith(" INFO event loop 0: responsive again");
    }

    @Test
    void aLoopThatComputesForEverStandsStillToo() {
        loop.isRunnable = true;
        pass(32, 1, 0);
        assertThat(loop.stalls).isEqualTo(1);
        assertThat(watch.isLive()).isFalse();
    }

    @Test
    void whatTurnsOrWaitsForSomethingToDoDoesNotStandStill() {
        for (int i = 0; i < 100; i++) {
            loop.turns += 2;
            pass(1, 1, 0);
        }
        loop.turns++;
        pass(1_000, 0, 0);
        nothingIsSaid();
    }

    /** A loop that a quota of 2 % holds up, or neighbours do. */
    @Test
    void theWaitForAProcessorDoesNotCount() {
        loop.isRunnable = true;
        pass(90, 0.02, 0.98);
        loop.isRunnable = false;
        pass(9, 0.02, 0.98);
        nothingIsSaid();
    }

    /** The kernel counts a wait once it is over. */
    @Test
    void aWaitThatLastsDoesNotCountEither() {
        loop.isRunnable = true;
        pass(100, 0, 0);
        nothingIsSaid();
    }

    @Test
    void aProcessThatWasStoppedDoesNotCount() {
        for (int i = 0; i < 20; i++) {
            tick(1);
            tick(40);
        }
        nothingIsSaid();
        pass(1, 0, 0);
        nothingIsSaid();
    }

    @Test
    void aLateTickTakesBackNothingThatIsKnown() {
        pass(31, 0, 0);
        assertThat(watch.isLive()).isFalse();
        tick(40);
        assertThat(watch.isLive()).isFalse();
        pass(1, 0, 0);
        assertThat(watch.isLive()).isFalse();
        loop.turns += 2;
        tick(40);
        assertThat(watch.isLive()).isTrue();
        pass(29, 0, 0);
        assertThat(watch.isLive()).isTrue();
    }

    @Test
    void aClockThatJumpsDoesNotCount() {
        tick(1);
        tick(3_600);
        tick(-7_200);
        tick(1);
        nothingIsSaid();
    }

    @Test
    void whatTheKernelDoesNotTellEndsNoProcess() {
        loop.isKnown = false;
        pass(100, 0, 0);
        assertThat(loop.stalls).isEqualTo(1);
        assertThat(watch.isLive()).isTrue();
    }

    @Test
    void withoutABoundAProcessIsLiveForEver() {
        LoopWatch lenient = new LoopWatch(() -> nowNs, Limits.UNLIMITED);
        lenient.watch(loop);
        for (int i = 0; i < 1_000; i++) {
            nowNs += 1_000_000_000L;
            lenient.run();
        }
        assertThat(lenient.isLive()).isTrue();
        assertThat(loop.stalls).isEqualTo(1);
    }
}
