package io.remora.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class ExchangeWatchTest {
    private final AtomicInteger rowsLeft = new AtomicInteger(3);
    private final ExchangeWatch watch = new ExchangeWatch(rowsLeft);

    @Test
    void anExchangeCountsForItsListenerRouteAndEndpoint() {
        watch.ended("home", "app", "10.0.0.1:80", false, 1_000, 2_000);
        watch.ended("home", "app", "10.0.0.1:80", true, 1_000, 2_000);
        watch.ended("", "", "", true, 1_000, 2_000);
        assertThat(watch.all().ended()).isEqualTo(3);
        assertThat(watch.all().failed()).isEqualTo(2);
        assertThat(watch.routes()).hasSize(1);
        assertThat(watch.routes()[0].ended()).isEqualTo(2);
        assertThat(watch.endpoints()).hasSize(1);
        assertThat(watch.endpoints()[0].name).isEqualTo("app");
        assertThat(watch.endpoints()[0].failed()).isEqualTo(1);
    }

    @Test
    void allWatchesShareTheRows() {
        ExchangeWatch other = new ExchangeWatch(rowsLeft);
        for (int i = 0; i < 10; i++) {
            watch.ended("route " + i, "", "", false, 1_000, 2_000);
            other.ended("route " + i, "app", "endpoint", false, 1_000, 2_000);
        }
        assertThat(watch.routes().length + other.routes().length + other.endpoints().length)
                .isEqualTo(3);
        assertThat(watch.all().ended()).isEqualTo(10);
    }

    @Test
    void failuresBeyondTheBoundAreDroppedUntilTheyAreTaken() {
        List<WatchedFailure> taken = new ArrayList<>();
        for (int round = 0; round < 3; round++) {
            int kept = 0;
            for (int i = 0; i < 20; i++) {
                if (watch.takesFailure()) {
                    watch.failed(failure(100 * round + i));
                    kept++;
                }
            }
            assertThat(kept).isEqualTo(8);
            watch.takeFailures(taken::add);
            assertThat(taken.remove(0).atMs()).isEqualTo(100 * round);
            assertThat(taken).hasSize(7);
            taken.clear();
        }
    }

    private static WatchedFailure failure(long atMs) {
        return new WatchedFailure(atMs, "test", "", "", "127.0.0.1", 502, "connect-failed", null, null, 1_000);
    }
}
