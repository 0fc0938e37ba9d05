package io.remora.pool;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Bounds of one destination within bounds of all of them. */
final class BreakersTest {
    private static final int FEW = 2;
    private static final int MORE = 3;

    private final Breakers all = new Breakers(MORE, MORE, MORE, null);
    private final Breakers dead = new Breakers(FEW, FEW, FEW, all);
    private final Breakers other = new Breakers(FEW, FEW, FEW, all);

    @Test
    void oneDestinationTakesNoMoreThanItsOwnBound() {
        assertThat(dead.enter()).isTrue();
        assertThat(dead.enter()).isTrue();
        assertThat(dead.enter()).isFalse();
        assertThat(other.enter()).as("what is left of the bound on all").isTrue();
        assertThat(other.enter()).as("the bound on all").isFalse();
        dead.leave();
        assertThat(other.enter()).isTrue();
        assertThat(dead.enter()).isFalse();
    }

    @Test
    void whatIsRefusedTakesNoPlace() {
        for (int i = 0; i < 10; i++) {
            dead.enterPending();
            dead.enterConnection();
        }
        assertThat(other.enterPending()).isTrue();
        assertThat(other.enterConnection()).isTrue();
        for (int i = 0; i < 10; i++) {
            assertThat(other.enterPending()).isFalse();
            assertThat(other.enterConnection()).isFalse();
        }
        assertThat(other.hasRoom()).as("it is all that have none").isTrue();
        assertThat(dead.hasRoom()).isFalse();
        dead.leavePending();
        dead.leaveConnection();
        assertThat(other.enterPending()).isTrue();
        assertThat(other.enterConnection()).isTrue();
        assertThat(other.hasRoom()).isFalse();
    }
}
