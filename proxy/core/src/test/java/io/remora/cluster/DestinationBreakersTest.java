package io.remora.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.pool.Breakers;
import org.junit.jupiter.api.Test;

/** Which destinations of redirected connections share which bounds. */
final class DestinationBreakersTest {
    private static final BreakerConfig ONE = new BreakerConfig(1, 1, 1, 1);
    private static final BreakerConfig TWO = new BreakerConfig(2, 2, 2, 2);

    private static DestinationBreakers of(BreakerConfig each, BreakerConfig total) {
        return new DestinationBreakers(each, new CaptureConfig(10, 1, total));
    }

    private static boolean enters(Breakers breakers) {
        assertThat(breakers).isNotNull();
        return breakers.enter();
    }

    @Test
    void eventLoopsShareThoseOfADestination() {
        DestinationBreakers bounds = of(ONE, null);
        Breakers onOne = bounds.join("a");
        assertThat(bounds.join("a")).isSameAs(onOne);
        assertThat(enters(onOne)).isTrue();
        assertThat(enters(bounds.join("a"))).isFalse();
        assertThat(enters(bounds.join("b"))).as("another destination").isTrue();
    }

    @Test
    void theyAreForgottenWithTheLastLoopThatKnowsIt() {
        DestinationBreakers bounds = of(ONE, null);
        Breakers before = bounds.join("a");
        bounds.join("a");
        bounds.leave("a");
        assertThat(bounds.join("a")).isSameAs(before);
        bounds.leave("a");
        bounds.leave("a");
        assertThat(bounds.join("a")).isNotSameAs(before);
    }

    @Test
    void allDestinationsTogetherHaveABoundOfTheirOwn() {
        DestinationBreakers bounds = of(ONE, TWO);
        assertThat(enters(bounds.join("a"))).isTrue();
        assertThat(enters(bounds.join("b"))).isTrue();
        assertThat(enters(bounds.join("c"))).isFalse();
        DestinationBreakers shared = of(null, ONE);
        assertThat(enters(shared.join("a"))).isTrue();
        assertThat(enters(shared.join("b"))).isFalse();
        assertThat(enters(of(null, TWO).join("a"))).isTrue();
        shared.leave("a");
    }
}
