package io.remora.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Samples at times that the test chooses, of a loop that does what the test says. */
final class LongTurnsTest {
    private static final long NS_PER_MS = 1_000_000;
    private static final int STEP_MS = 10;

    private final OneLoop loop = new OneLoop();
    private long nowNs = Long.MAX_VALUE - 100 * NS_PER_MS;
    private final LongTurns turns = new LongTurns(List.of(loop), 50 * NS_PER_MS, nowNs);
    private final StringBuilder text = new StringBuilder();

    private static final class OneLoop extends WatchedLoop {
        private int turns = 1;
        private String method = "first";
        private boolean turnsMeanwhile;

        @Override
        int turns() {
            return turns;
        }

        @Override
        @Nullable
        ThreadTimes times() {
            return null;
        }

        @Override
        StackTraceElement[] stack() {
            turns += turnsMeanwhile ? 2 : 0;
            return new StackTraceElement[] {new StackTraceElement("a.Blocking", method, "Blocking.java", 7)};
        }

        @Override
        void countStall() {}
    }

    private void pass(int ms) {
        for (int passed = 0; passed < ms; passed += STEP_MS) {
            nowNs += STEP_MS * NS_PER_MS;
            turns.sample(nowNs, text);
        }
    }

    @Test
    void aLongTurnHasAStackEachTimeThatItsLengthHasDoubled() {
        pass(100);
        loop.turns++;
        pass(60);
        loop.method = "second";
        pass(60);
        loop.method = "third";
        pass(70);
        loop.turns++;
        pass(STEP_MS);
        assertThat(text).hasToString("""
                loop 0: in a turn for 50 ms
                  a.Blocking.first(Blocking.java:7)
                loop 0: in a turn for 100 ms
                  a.Blocking.second(Blocking.java:7)
                loop 0: the turn took 190 ms

                """);
        assertThat(turns.count()).isEqualTo(1);
        assertThat(turns.longestNs()).isEqualTo(190 * NS_PER_MS);
    }

    @Test
    void shortTurnsAndALoopThatWaitsAreNone() {
        loop.turns++;
        for (int i = 0; i < 100; i++) {
            loop.turns += 2;
            pass(50);
        }
        loop.turns++;
        pass(1_000);
        turns.end(nowNs, text);
        assertThat(text).isEmpty();
        assertThat(turns.count()).isZero();
    }

    @Test
    void aTurnThatHasNotEndedCountsAtTheEnd() {
        loop.turns++;
        pass(80);
        turns.end(nowNs, text);
        assertThat(text)
                .startsWith("loop 0: in a turn for 50 ms\n  a.Blocking")
                .endsWith("loop 0: still in the turn after 70 ms\n\n");
        turns.end(nowNs, text);
        assertThat(turns.count()).isEqualTo(1);
    }

    @Test
    void aStackOfALaterTurnIsDropped() {
        loop.turns++;
        loop.turnsMeanwhile = true;
        pass(60);
        loop.turnsMeanwhile = false;
        pass(40);
        assertThat(text).isEmpty();
        assertThat(turns.count()).isZero();
    }

    @Test
    void timeInWhichTheProcessStoodStillIsNoTimeOfATurn() {
        loop.turns++;
        pass(40);
        nowNs += 400 * NS_PER_MS;
        turns.sample(nowNs, text);
        assertThat(text).hasToString("process: stopped or got no CPU for 400 ms; not counted as part of a turn\n\n");
        text.setLength(0);
        pass(40);
        assertThat(text).startsWith("loop 0: in a turn for 50 ms\n");
        loop.turns++;
        pass(STEP_MS);
        assertThat(text).endsWith("loop 0: the turn took 80 ms\n\n");
    }

    @Test
    void aTurnGoesOnWhileTheCallerSpendsTimeElsewhere() {
        loop.turns++;
        pass(30);
        nowNs += 400 * NS_PER_MS;
        turns.resume(nowNs);
        pass(STEP_MS);
        assertThat(text).startsWith("loop 0: in a turn for 430 ms\n");
        loop.turns++;
        pass(STEP_MS);
        assertThat(text).endsWith("loop 0: the turn took 440 ms\n\n");
    }
}
