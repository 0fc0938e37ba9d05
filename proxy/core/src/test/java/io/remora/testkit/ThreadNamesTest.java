package io.remora.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Reading the names of threads that end meanwhile. */
final class ThreadNamesTest {
    private static final int READINGS = 1_000;
    private static final int STARTERS = 4;

    @Test
    void readsPastThreadsThatEnd() throws InterruptedException {
        AtomicBoolean mayStart = new AtomicBoolean(true);
        Thread[] starters = new Thread[STARTERS];
        for (int i = 0; i < STARTERS; i++) {
            starters[i] = new Thread(() -> startShortOnes(mayStart), "starter-" + i);
            starters[i].start();
        }
        long pid = ProcessHandle.current().pid();
        try {
            // each sets its name itself
            Await.until("the starters run", () -> ThreadNames.of(pid).containsAll(List.of("starter-0", "starter-3")));
            for (int i = 0; i < READINGS; i++) {
                assertThat(ThreadNames.of(pid)).contains("starter-0", "starter-3");
            }
        } finally {
            mayStart.set(false);
            for (Thread starter : starters) {
                starter.join();
            }
        }
    }

    private static void startShortOnes(AtomicBoolean mayStart) {
        while (mayStart.get()) {
            Thread one = new Thread(() -> {}, "short");
            one.start();
            try {
                one.join();
            } catch (InterruptedException e) {
                return;
            }
        }
    }
}
