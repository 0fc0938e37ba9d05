package io.remora.transport;

import static io.remora.testkit.Stand.GET;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.BackendConnection;
import io.remora.testkit.Latencies;
import io.remora.testkit.RawClient;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Stand;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What waits for a busy event loop waits for the proxy, from the select on that told of it. */
final class BusyLoopIT {
    private static final int WAIT_MS = 150;

    @RegisterExtension
    final Stand stand = new Stand();

    /** The loop's long turn is in the proxy's time, and not in the backend's as well. */
    private void countsAsTheProxys() {
        stand.sidecar().awaitIdle();
        // an exchange is counted before its times are recorded, in the same turn
        stand.sidecar().barrier();
        Latencies latencies = stand.sidecar().latencies();
        assertThat(latencies.proxy().getMaxValue()).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(WAIT_MS));
        assertThat(Latencies.leastSumNs(latencies.backend()) + Latencies.leastSumNs(latencies.proxy()))
                .isLessThanOrEqualTo(Latencies.mostSumNs(latencies.total()));
    }

    /** The loop has learnt that the request is there, and is still busy with another channel of the same select. */
    @Test
    void aBusyLoopCountsBeforeARequest() throws IOException {
        RawClient client = stand.client();
        try (SlowTurn slow = SlowTurn.on(stand.sidecar(), WAIT_MS)) {
            stand.sidecar().stall(() -> {
                slow.readable();
                client.send(GET);
            });
            assertThat(client.response().bodyText()).isEqualTo("ok");
        }
        countsAsTheProxys();
    }

    @Test
    void aBusyLoopCountsBeforeAResponse() throws IOException {
        RawClient client = stand.client();
        assertThat(client.send(GET).response().bodyText()).isEqualTo("ok");
        stand.backend.onRequest(BackendConnection::readRequest);
        try (SlowTurn slow = SlowTurn.on(stand.sidecar(), WAIT_MS)) {
            client.send(GET);
            Await.until("the request arrives", () -> stand.backend.requests().size() == 2);
            stand.sidecar().stall(() -> {
                slow.readable();
                stand.backend.connections().get(0).write(RecordingBackend.OK);
            });
            assertThat(client.response().bodyText()).isEqualTo("ok");
        }
        countsAsTheProxys();
    }

    /** The kernel has the connection at once; the loop hears of it when its turn is over. */
    @Test
    void aBusyLoopDoesNotMakeAConnectLate() throws IOException {
        stand.start("", "timeouts: { connect: 20ms }");
        RawClient client = stand.client();
        try (SlowTurn slow = SlowTurn.on(stand.sidecar(), WAIT_MS)) {
            stand.sidecar().stall(() -> {
                client.send(GET);
                slow.readable();
            });
            assertThat(client.response().bodyText()).isEqualTo("ok");
        }
    }
}
