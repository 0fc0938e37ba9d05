package io.remora.sidecar;

import static io.remora.testkit.Stand.GET;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.Contract;
import io.remora.testkit.Count;
import io.remora.testkit.Failure;
import io.remora.testkit.RawClient;
import io.remora.testkit.Setup;
import io.remora.testkit.Stand;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Two event loops: what both count adds up, both end with a drain, and the bound of connections is one for both. */
@Contract
final class WorkersTogetherIT {
    private static final int CLIENTS = 40;
    private static final int REQUESTS = 5;
    private static final int HELD = 4;

    @RegisterExtension
    final Stand stand = new Stand();

    private void start(String drainTimeout) {
        // its own connection is taken first, so that those of a test go to the two loops in turn
        stand.start(Setup.before(stand.backend)
                        .process("workers: 2\ndrain-timeout: " + drainTimeout)
                        .listener("limits: { connections: 60 }")
                        .cluster("max-connections: " + CLIENTS / 2))
                .barrier();
    }

    private List<RawClient> clients(int count) {
        List<RawClient> clients = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            clients.add(stand.client());
        }
        return clients;
    }

    private void awaitAtBackend(int requests) {
        Await.until("the requests arrive", () -> stand.backend.requests().size() == requests);
    }

    @Test
    void bothServeAndTheirCountsAddUp() throws IOException {
        start("30s");
        List<RawClient> clients = clients(CLIENTS);
        for (int round = 0; round < REQUESTS; round++) {
            for (RawClient client : clients) {
                assertThat(client.send(GET).response().bodyText()).isEqualTo("ok");
            }
        }
        stand.nothingFailed();
        assertThat(stand.responses(2)).isEqualTo(CLIENTS * REQUESTS);
        Await.until("times recorded", () -> stand.sidecar().latencies().total().getTotalCount() == CLIENTS * REQUESTS);
        // one at a time needs one connection a loop
        assertThat(stand.backend.connections()).hasSize(2);
    }

    /** A loop may have half as many connections to the backend as there are requests: neither can serve more than half. */
    @Test
    void bothTakeHalfOfTheClients() throws IOException {
        start("30s");
        stand.answerLater();
        List<RawClient> clients = clients(CLIENTS);
        for (RawClient client : clients) {
            client.send(GET);
        }
        awaitAtBackend(CLIENTS);
        stand.mayAnswer();
        for (RawClient client : clients) {
            assertThat(client.response().bodyText()).isEqualTo("ok");
        }
        stand.nothingFailed();
    }

    @Test
    void bothDrain() throws Exception {
        start("30s");
        stand.answerLater();
        List<RawClient> idle = clients(HELD);
        List<RawClient> held = clients(HELD);
        for (RawClient client : held) {
            client.send(GET);
        }
        awaitAtBackend(HELD);
        stand.sidecar().drain();
        for (RawClient client : idle) {
            assertThat(client.closedByPeer()).isTrue();
        }
        assertThat(stand.sidecar().count(Count.EXCHANGES_IN_FLIGHT)).isEqualTo(HELD);
        stand.mayAnswer();
        for (RawClient client : held) {
            assertThat(client.response().fields().tokens("Connection")).contains("close");
            assertThat(client.closedByPeer()).isTrue();
        }
        stand.sidecar().awaitDrained();
        stand.nothingFailed();
    }

    @Test
    void bothAreCut() throws IOException {
        start("100ms");
        stand.answerLater();
        List<RawClient> held = clients(HELD);
        for (RawClient client : held) {
            client.send(GET);
        }
        awaitAtBackend(HELD);
        stand.sidecar().drain();
        stand.counted(Failure.CUT, HELD);
        assertThat(stand.sidecar().count(Count.EXCHANGES_CUT)).isEqualTo(HELD);
        stand.mayAnswer();
    }

    /**
     * The limit of connections too is one for both: who comes later waits in the kernel's queue until somebody leaves.
     */
    @Test
    void bothShareTheBoundOfConnections() throws IOException {
        start("30s");
        List<RawClient> clients = clients(60);
        RawClient late = stand.client();
        late.send(GET);
        for (RawClient client : clients) {
            assertThat(client.send(GET).response().bodyText()).isEqualTo("ok");
        }
        assertThat(stand.sidecar().count(Count.CONNECTIONS_ACCEPTED)).isEqualTo(60);
        clients.get(0).close();
        assertThat(late.response().bodyText()).isEqualTo("ok");
    }
}
