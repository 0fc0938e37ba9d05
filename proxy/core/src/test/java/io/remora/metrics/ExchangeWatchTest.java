package io.remora.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ExchangeWatchTest {
    private final WatchedNames names = new WatchedNames(1, 3);
    private final ExchangeWatch watch = new ExchangeWatch("test", names);

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
        ExchangeWatch other = new ExchangeWatch("other", names);
        for (int i = 0; i < 10; i++) {
            watch.ended("route " + i, "", "", false, 1_000, 2_000);
            other.ended("route " + i, "app", "endpoint", false, 1_000, 2_000);
        }
        assertThat(watch.routes().length + other.routes().length + other.endpoints().length)
                .isEqualTo(3);
        assertThat(watch.all().ended()).isEqualTo(10);
        assertThat(names.routesLeftOut()).isEqualTo(18);
        assertThat(names.isLeftOut("app", "endpoint")).isFalse();
    }

    /** Else the figures of a route would lack those of the loops that came too late. */
    @Test
    void aNameHasARowOnEachEventLoopOrOnNone() {
        WatchedNames ofTwo = new WatchedNames(2, 7);
        ExchangeWatch one = new ExchangeWatch("test", ofTwo);
        ExchangeWatch two = new ExchangeWatch("test", ofTwo);
        for (int i = 0; i < 5; i++) {
            one.ended("route " + i, "", "", false, 1_000, 2_000);
        }
        for (int i = 4; i >= 0; i--) {
            two.ended("route " + i, "", "", false, 1_000, 2_000);
        }
        assertThat(one.routes()).extracting(row -> row.name).containsExactly("route 0", "route 1", "route 2");
        assertThat(two.routes()).extracting(row -> row.name).containsExactly("route 2", "route 1", "route 0");
        assertThat(ofTwo.routesLeftOut()).isEqualTo(2);
    }

    @Test
    void anEndpointThatIsLeftOutOfOneListenerIsLeftOut() {
        ExchangeWatch other = new ExchangeWatch("other", names);
        for (String endpoint : List.of("1", "2", "3")) {
            watch.ended("", "app", endpoint, false, 1_000, 2_000);
        }
        assertThat(names.isLeftOut("app", "1")).isFalse();
        other.ended("", "app", "1", false, 1_000, 2_000);
        assertThat(names.isLeftOut("app", "1")).isTrue();
        assertThat(names.isLeftOut("app", "2")).isFalse();
        assertThat(other.endpoints()).isEmpty();
    }

    /** Hosts of a template may come and go without end. */
    @Test
    void namesThatAreLeftOutHaveABound() {
        for (int i = 0; i < 2_000; i++) {
            watch.ended("route " + i, "", "", false, 1_000, 2_000);
        }
        assertThat(names.routesLeftOut()).isEqualTo(WatchedNames.MOST_LEFT_OUT);
        assertThat(watch.routes()).hasSize(3);
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
