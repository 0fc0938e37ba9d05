package io.remora.pool;

import static io.remora.testkit.Stand.GET;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.Contract;
import io.remora.testkit.Count;
import io.remora.testkit.Failure;
import io.remora.testkit.FullBacklog;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Setup;
import io.remora.testkit.Stand;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Backends that no connection can be made to, or not yet. */
@Contract
final class ConnectFaultsIT {
    @RegisterExtension
    final Stand stand = new Stand();

    private long causes(String cause) {
        return stand.sidecar().metrics().sum("remora_backend_connect_failure_causes_total", "cause", cause);
    }

    @Test
    void refuses() throws IOException {
        stand.sidecar();
        stand.backend.stopListening();
        RawClient client = stand.client();
        RawResponse response = stand.refused(client.send(GET).response(), Failure.CONNECT_FAILED);
        assertThat(response.fields().has("Connection")).isFalse();
        assertThat(stand.sidecar().count(Count.BACKEND_CONNECT_FAILURES)).isOne();
        assertThat(causes("refused")).isOne();
        assertThat(client.send(GET).response().status()).isEqualTo(502);
        stand.counted(Failure.CONNECT_FAILED, 2);
    }

    @Test
    void refusesARequestWithABody() throws IOException {
        stand.sidecar();
        stand.backend.stopListening();
        RawClient client = stand.client();
        client.send("POST / HTTP/1.1\r\nHost: app\r\nContent-Length: 5\r\n\r\nhello");
        stand.refused(client.response(), Failure.CONNECT_FAILED);
    }

    @Test
    void refusesAHead() throws IOException {
        stand.sidecar();
        stand.backend.stopListening();
        RawClient client = stand.client();
        RawResponse head = client.send("HEAD / HTTP/1.1\r\nHost: app\r\n\r\n").response("HEAD");
        assertThat(head.field("Remora-Error")).isEqualTo("connect-failed");
        assertThat(client.send(GET).response().bodyText()).isNotEmpty();
    }

    @Test
    void refusesAnOldClient() throws IOException {
        stand.sidecar();
        stand.backend.stopListening();
        RawClient client = stand.client();
        stand.refused(client.send("GET / HTTP/1.0\r\n\r\n").response(), Failure.CONNECT_FAILED);
        assertThat(client.closedByPeer()).isTrue();
    }

    @Test
    void recovers() throws IOException {
        stand.sidecar();
        stand.backend.stopListening();
        RawClient client = stand.client();
        assertThat(client.send(GET).response().status()).isEqualTo(502);
        try (RecordingBackend again = RecordingBackend.startAt(stand.backend.port())) {
            assertThat(client.send(GET).response().bodyText()).isEqualTo("ok");
            assertThat(again.requests()).hasSize(1);
        }
    }

    @Test
    void doesNotAcceptInTime() throws IOException {
        try (FullBacklog full = FullBacklog.open()) {
            stand.start(Setup.at(full.port()).cluster("timeouts: { connect: 150ms }"));
            RawClient client = stand.client();
            stand.refused(client.send(GET).response(), Failure.CONNECT_TIMEOUT);
            assertThat(stand.sidecar().count(Count.BACKEND_CONNECT_FAILURES)).isOne();
            assertThat(causes("timeout")).isOne();
        }
    }

    /**
     * The kernel tries a dropped SYN again after a second: the connection comes late, and what has been sent meanwhile
     * is there.
     */
    @Test
    void acceptsLate() throws IOException {
        try (FullBacklog full = FullBacklog.open()) {
            stand.start(Setup.at(full.port()).cluster("timeouts: { connect: 9s }"));
            RawClient client = stand.client();
            client.send("POST / HTTP/1.1\r\nHost: app\r\nContent-Length: 200000\r\n\r\n");
            client.send(new byte[150_000]);
            RawClient gone = stand.client();
            gone.send(GET);
            stand.sidecar().barrier();
            gone.reset();
            Await.until("noticed", () -> stand.failures(Failure.CLIENT_GONE) == 1);
            full.drain();
            assertThat(full.readHead()).startsWith("POST / HTTP/1.1\r\n");
            client.send(new byte[50_000]);
            full.readBody(200_000);
            full.write(RecordingBackend.OK);
            assertThat(client.response().bodyText()).isEqualTo("ok");
            stand.countedOnce(Failure.CLIENT_GONE);
        }
    }
}
