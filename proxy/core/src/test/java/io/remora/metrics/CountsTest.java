package io.remora.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

final class CountsTest {
    private static final int EXCHANGES = 2_000_000;
    private static final long LARGE = 1L << 32;

    private final ListenerStats listener = new ListenerStats("in", "bad-request", "no-route");

    @Test
    void countsUpAndDown() {
        EndpointStats endpoint = new EndpointStats("app", "127.0.0.1:80");
        endpoint.increment(EndpointMetric.IDLE);
        endpoint.add(EndpointMetric.IDLE, 41);
        endpoint.decrement(EndpointMetric.IDLE);
        assertThat(endpoint.value(EndpointMetric.IDLE)).isEqualTo(41);
        assertThat(endpoint.value(EndpointMetric.EXCHANGES)).isZero();
    }

    @Test
    void countsByTheValuesThatWereDeclared() {
        listener.increment(ListenerMetric.FAILURES, "no-route");
        assertThat(listener.value(ListenerMetric.FAILURES, "no-route")).isOne();
        assertThat(listener.value(ListenerMetric.FAILURES, "bad-request")).isZero();
        assertThatThrownBy(() -> listener.increment(ListenerMetric.FAILURES, "no-such"))
                .hasMessage("FAILURES has no no-such");
    }

    @Test
    void everyStatusHasItsClass() {
        for (int status : new int[] {101, 200, 299, 304, 404, 499, 599}) {
            listener.responded(status);
        }
        assertThat(listener.value(ListenerMetric.RESPONSES, "1xx")).isOne();
        assertThat(listener.value(ListenerMetric.RESPONSES, "2xx")).isEqualTo(2);
        assertThat(listener.value(ListenerMetric.RESPONSES, "3xx")).isOne();
        assertThat(listener.value(ListenerMetric.RESPONSES, "4xx")).isEqualTo(2);
        assertThat(listener.value(ListenerMetric.RESPONSES, "5xx")).isOne();
    }

    /** The one writer loses nothing, and a reader meanwhile sees no half of a number, no step back, no end before its beginning. */
    @Test
    void aReaderBesideTheWriterSeesWholeNumbersInOrder() throws InterruptedException {
        Thread writer = new Thread(() -> {
            for (int i = 0; i < EXCHANGES; i++) {
                listener.increment(ListenerMetric.EXCHANGES_STARTED);
                // each step changes both halves of the number
                listener.add(ListenerMetric.REQUEST_BODY, LARGE + 1);
                listener.increment(ListenerMetric.EXCHANGES_FINISHED);
            }
        });
        writer.start();
        long before = 0;
        do {
            long[][] numbers = listener.read();
            long bytes = number(numbers, ListenerMetric.REQUEST_BODY);
            assertThat(bytes >>> 32).isEqualTo(bytes & (LARGE - 1));
            assertThat(bytes).isGreaterThanOrEqualTo(before);
            assertThat(number(numbers, ListenerMetric.EXCHANGES_STARTED))
                    .isGreaterThanOrEqualTo(number(numbers, ListenerMetric.EXCHANGES_FINISHED));
            before = bytes;
        } while (writer.isAlive());
        writer.join();
        assertThat(listener.value(ListenerMetric.EXCHANGES_FINISHED)).isEqualTo(EXCHANGES);
        assertThat(listener.value(ListenerMetric.REQUEST_BODY)).isEqualTo((LARGE + 1) * EXCHANGES);
    }

    private static long number(long[][] numbers, ListenerMetric metric) {
        return numbers[metric.ordinal()][0];
    }
}
