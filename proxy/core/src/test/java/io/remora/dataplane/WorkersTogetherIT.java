package io.remora.dataplane;

import static io.remora.dataplane.Stand.GET;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.http.Failure;
import io.remora.metrics.LatencyRecorder;
import io.remora.metrics.ListenerMetric;
import io.remora.testkit.Await;
import io.remora.testkit.RawClient;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Sidecar;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Two event loops: what both count adds up, both end with a drain, and the bound of connections is one for both. */
final class WorkersTogetherIT {
    private static final int CLIENTS = 40;
    private static final int REQUESTS = 5;
    private static final int HELD = 4;
    private static final String YAML = """
            log-level: warn
            workers: 2
            admin:
              address: "127.0.0.1:0"
            listeners:
              - name: test
                address: "127.0.0.1:0"
                cluster: app
                limits: { connections: 60 }
              - name: barrier
                address: "127.0.0.1:0"
                cluster: barrier
            clusters:
              app:
                endpoints: ["127.0.0.1:${BACKEND}"]
              barrier:
                endpoints: ["127.0.0.1:${BARRIER}"]
            """;

    @RegisterExtension
    final Stand stand = new Stand();

    private final CountDownLatch mayAnswer = new CountDownLatch(1);

    @BeforeEach
    void start() {
        // its own connection is taken first, so that those of a test go to the two loops in turn
        stand.use(Sidecar.of(YAML, stand.backend)).barrier();
    }

    private List<RawClient> clients(int count) {
        List<RawClient> clients = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            clients.add(stand.client());
        }
        return clients;
    }

    private long[] perLoop(ListenerMetric metric) {
        return stand.stats().stream().mapToLong(stats -> stats.value(metric)).toArray();
    }

    private void holdAnswers() {
        stand.backend.onRequest(connection -> {
            connection.readRequest();
            Await.until("told to answer", () -> mayAnswer.getCount() == 0);
            connection.write(RecordingBackend.OK);
        });
    }

    private void awaitAtBackend(int requests) {
        Await.until("the requests arrive", () -> stand.backend.requests().size() == requests);
    }

    @Test
    void bothServeAndTheirCountsAddUp() throws IOException {
        List<RawClient> clients = clients(CLIENTS);
        for (int round = 0; round < REQUESTS; round++) {
            for (RawClient client : clients) {
                assertThat(client.send(GET).response().bodyText()).isEqualTo("ok");
            }
        }
        stand.nothingFailed();
        assertThat(perLoop(ListenerMetric.FRONTEND_ACCEPTED)).hasSize(2).containsOnly(CLIENTS / 2);
        assertThat(perLoop(ListenerMetric.EXCHANGES_FINISHED)).containsOnly(CLIENTS / 2 * REQUESTS);
        assertThat(stand.responses(2)).isEqualTo(CLIENTS * REQUESTS);
        Histogram times = LatencyRecorder.newHistogram();
        Await.until("times recorded", () -> {
            stand.stats()
                    .forEach(stats -> stats.recorder(ListenerMetric.TOTAL_TIME).drainInto(times));
            return times.getTotalCount() == CLIENTS * REQUESTS;
        });
        // one at a time needs one connection a loop
        assertThat(stand.backend.connections()).hasSize(2);
    }

    @Test
    void bothDrain() throws Exception {
        holdAnswers();
        List<RawClient> idle = clients(HELD);
        List<RawClient> held = clients(HELD);
        for (RawClient client : held) {
            client.send(GET);
        }
        awaitAtBackend(HELD);
        stand.sidecar().proxy().drain();
        for (RawClient client : idle) {
            assertThat(client.closedByPeer()).isTrue();
        }
        assertThat(stand.sidecar().proxy().awaitDrained(50)).isFalse();
        mayAnswer.countDown();
        for (RawClient client : held) {
            assertThat(client.response().fields().tokens("Connection")).contains("close");
            assertThat(client.closedByPeer()).isTrue();
        }
        assertThat(stand.sidecar().proxy().awaitDrained(Await.TIMEOUT_MS)).isTrue();
        stand.nothingFailed();
    }

    @Test
    void bothAreCut() throws IOException {
        holdAnswers();
        List<RawClient> held = clients(HELD);
        for (RawClient client : held) {
            client.send(GET);
        }
        awaitAtBackend(HELD);
        stand.sidecar().proxy().cut();
        stand.counted(Failure.CUT, HELD);
        assertThat(perLoop(ListenerMetric.EXCHANGES_CUT)).containsOnly(HELD / 2);
        mayAnswer.countDown();
    }

    /**
     * The limit of connections too is one for both: who comes later waits in the kernel's queue until somebody leaves.
     */
    @Test
    void bothShareTheBoundOfConnections() throws IOException {
        List<RawClient> clients = clients(60);
        RawClient late = stand.client();
        late.send(GET);
        for (RawClient client : clients) {
            assertThat(client.send(GET).response().bodyText()).isEqualTo("ok");
        }
        assertThat(stand.sidecar().count(ListenerMetric.FRONTEND_ACCEPTED)).isEqualTo(60);
        clients.get(0).close();
        assertThat(late.response().bodyText()).isEqualTo("ok");
    }
}
