package io.remora.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class CounterTest {
    @Test
    void countsUpAndDown() {
        Counter counter = new Counter();
        counter.increment();
        counter.add(41);
        counter.decrement();
        assertThat(counter.value()).isEqualTo(41);
    }
}
