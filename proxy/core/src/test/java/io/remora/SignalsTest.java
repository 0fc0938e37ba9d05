package io.remora;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import sun.misc.Signal;

/** Order of a second signal and of a drain that ends because that signal cuts its exchanges. */
final class SignalsTest {
    private static final Signal TERM = new Signal("TERM");

    private final CountDownLatch end = new CountDownLatch(1);
    private final CountDownLatch halting = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final AtomicInteger status = new AtomicInteger();

    private final Signals signals = new Signals(end) {
        @Override
        void halt(int with) {
            status.set(with);
            halting.countDown();
            Await.open(goOn);
        }
    };

    @Test
    void theFirstOneStartsTheDrainOnly() {
        signals.handle(TERM);
        assertThat(end.getCount()).isZero();
        signals.yieldToSecond();
        assertThat(status).hasValue(0);
    }

    @Test
    void aDrainDoesNotEndTheProcessBeforeTheSecondOneDoes() throws InterruptedException {
        signals.handle(TERM);
        Thread second = new Thread(() -> signals.handle(TERM));
        second.start();
        halting.await();
        Thread drained = new Thread(signals::yieldToSecond);
        drained.start();
        Await.until("the drain waits", () -> drained.getState() == Thread.State.BLOCKED);
        assertThat(status).hasValue(128 + 15);
        goOn.countDown();
        drained.join(Await.TIMEOUT_MS);
        assertThat(drained.isAlive()).isFalse();
        second.join();
    }
}
