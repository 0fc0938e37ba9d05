package io.remora.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.memory.Plans;
import io.remora.metrics.Stats;
import io.remora.testkit.Await;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** BackgroundTasks of an event loop, and what else it has to do. */
final class BackgroundTasksTest {
    private static final int STEPS = 20;
    private static final long STEP_NS = 2_000_000;
    private static final Loops LOOPS = new Loops(1, NanoClock.SYSTEM, new Stats(), Plans.holding(1 << 20));
    private static final Loop LOOP = LOOPS.all().get(0);

    @AfterAll
    static void end() {
        LOOPS.shutdown().syncUninterruptibly();
    }

    /** Each step takes longer than a turn has. */
    @Test
    void othersHaveTheirTurnInBetween() throws Exception {
        AtomicInteger steps = new AtomicInteger();
        CompletableFuture<Integer> atTimer = new CompletableFuture<>();
        CompletableFuture<Integer> atEnd = new CompletableFuture<>();
        LOOP.execute(() -> {
            LOOP.background(() -> {
                spin();
                if (steps.incrementAndGet() == 1) {
                    LOOP.after(() -> atTimer.complete(steps.get()), 1);
                }
                return steps.get() < STEPS;
            });
            LOOP.background(() -> {
                atEnd.complete(steps.get());
                return false;
            });
        });
        assertThat(told(atTimer)).isBetween(1, STEPS - 1);
        assertThat(told(atEnd)).isEqualTo(STEPS);
    }

    @Test
    void oneThatFailsDoesNotEndTheOthers() throws Exception {
        CompletableFuture<Integer> done = new CompletableFuture<>();
        LOOP.background(() -> {
            throw new IllegalStateException("as a test wants it");
        });
        LOOP.background(() -> {
            done.complete(1);
            return false;
        });
        assertThat(told(done)).isEqualTo(1);
    }

    /** Who has left meanwhile has handed its channel to another protocol, or is closed. */
    @Test
    void connectionsThatHaveLeftMeanwhileAreAskedNothing() throws Exception {
        Connections connections = new Connections();
        List<Asked> all = new ArrayList<>();
        for (int i = 0; i < STEPS; i++) {
            Asked one = new Asked();
            all.add(one);
            connections.add(one);
        }
        CompletableFuture<Integer> done = new CompletableFuture<>();
        LOOP.execute(() -> {
            LOOP.background(connections.ending(false));
            connections.remove(all.get(3));
            LOOP.background(() -> {
                done.complete(all.stream().mapToInt(one -> one.drained).sum());
                return false;
            });
        });
        assertThat(told(done)).isEqualTo(STEPS - 1);
        assertThat(all.get(3).drained).isZero();
        assertThat(all).allSatisfy(one -> assertThat(one.cut).isZero());
    }

    private static void spin() {
        long endNs = System.nanoTime() + STEP_NS;
        while (System.nanoTime() - endNs < 0) {
            Thread.onSpinWait();
        }
    }

    private static int told(CompletableFuture<Integer> future) throws Exception {
        return future.get(Await.TIMEOUT_MS, TimeUnit.MILLISECONDS);
    }

    /** What it has been asked for. */
    private static final class Asked implements Drainable {
        private int drained;
        private int cut;

        @Override
        public void drain() {
            drained++;
        }

        @Override
        public void cut() {
            cut++;
        }

        @Override
        public long idleSinceNs() {
            return 0;
        }
    }
}
