package io.remora.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Steps of handshakes that the caller, which is an event loop, computes itself, and those that it leaves to the thread. */
final class HandshakeThreadTest {
    private static final long SHORT_NS = 100_000;
    private static final long LONG_NS = 1_000_000;
    private static final long SECOND_NS = 1_000_000_000L;
    /** More steps than the usual time needs to follow. */
    private static final int MANY = 40;

    private final AtomicLong nowNs = new AtomicLong(SECOND_NS);
    private final HandshakeThread thread = new HandshakeThread(nowNs::get);

    @AfterEach
    void close() {
        thread.close();
    }

    /** Returns whether a step that lasts so long is computed by the caller. */
    private boolean isByCaller(long ns) throws InterruptedException {
        AtomicReference<Thread> by = new AtomicReference<>();
        CountDownLatch done = new CountDownLatch(1);
        thread.execute(() -> {
            nowNs.addAndGet(ns);
            by.set(Thread.currentThread());
            done.countDown();
        });
        assertThat(done.await(10, TimeUnit.SECONDS)).isTrue();
        if (by.get() == Thread.currentThread()) {
            return true;
        }
        // by then it has counted the step
        Await.until("at rest", () -> by.get().getState() == Thread.State.WAITING);
        return false;
    }

    private void see(long ns) throws InterruptedException {
        for (int i = 0; i < MANY; i++) {
            isByCaller(ns);
            nowNs.addAndGet(SECOND_NS);
        }
    }

    @Test
    void theFirstStepsAreTheThreads() throws InterruptedException {
        assertThat(isByCaller(SHORT_NS)).isFalse();
        assertThat(isByCaller(SHORT_NS)).isFalse();
    }

    @Test
    void shortStepsAreTheCallers() throws InterruptedException {
        see(SHORT_NS);
        assertThat(isByCaller(SHORT_NS)).isTrue();
    }

    @Test
    void longStepsAreTheThreadsEvenAfterShortOnes() throws InterruptedException {
        see(LONG_NS);
        assertThat(isByCaller(LONG_NS)).isFalse();
        see(SHORT_NS);
        see(LONG_NS);
        assertThat(isByCaller(SHORT_NS)).isFalse();
    }

    /** One in ten is long, as of a listener with another key: the loop computes none while that may be next. */
    @Test
    void rareLongStepsAreTheThreads() throws InterruptedException {
        see(SHORT_NS);
        isByCaller(LONG_NS);
        for (int i = 0; i < MANY; i++) {
            assertThat(isByCaller(i % 10 == 0 ? LONG_NS : SHORT_NS)).isFalse();
            nowNs.addAndGet(SECOND_NS);
        }
    }

    /** Four in a row, and of 10 ms a fifth. */
    @Test
    void aCrowdIsTheThreads() throws InterruptedException {
        see(SHORT_NS);
        int byCaller = 0;
        for (int i = 0; i < 100; i++) {
            byCaller += isByCaller(SHORT_NS) ? 1 : 0;
        }
        assertThat(byCaller).isBetween(4 + 15, 4 + 25);
    }

    @Test
    void noStepOvertakesOneThatIsUnderWay() throws InterruptedException {
        see(SHORT_NS);
        // which uses the part of the callers up, and leaves steps short
        assertThat(isByCaller(5 * SHORT_NS / 2)).isTrue();
        assertThat(isByCaller(5 * SHORT_NS / 2)).isTrue();
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goesOn = new CountDownLatch(1);
        thread.execute(() -> {
            begun.countDown();
            Await.until("let go", () -> goesOn.getCount() == 0);
        });
        assertThat(begun.await(10, TimeUnit.SECONDS)).isTrue();
        nowNs.addAndGet(SECOND_NS);
        AtomicReference<Thread> by = new AtomicReference<>();
        CountDownLatch done = new CountDownLatch(1);
        thread.execute(() -> {
            by.set(Thread.currentThread());
            done.countDown();
        });
        assertThat(by.get()).as("the first one computes").isNull();
        goesOn.countDown();
        assertThat(done.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(by.get()).isNotSameAs(Thread.currentThread());
    }
}
