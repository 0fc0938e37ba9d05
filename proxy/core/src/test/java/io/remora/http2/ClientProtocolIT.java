package io.remora.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.Certificates;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawRequest;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Setup;
import io.remora.testkit.Sidecar;
import io.remora.testkit.Stand;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Clusters with {@code protocol: client}: each request goes on in the version in which it came. The endpoint is another sidecar, whose
 * Via tells a recording backend in which version it was asked.
 */
final class ClientProtocolIT {
    @RegisterExtension
    static final Certificates TLS = new Certificates();

    // by another name, so that it is no loop
    private static Sidecar endpoint(RecordingBackend backend, String listener) {
        return Sidecar.start(Setup.before(backend).process("via: endpoint").listener(listener));
    }

    private static Sidecar before(Sidecar endpoint, String cluster) {
        return Sidecar.start(Setup.at(endpoint.address().getPort())
                .listener("protocol: auto")
                .cluster("protocol: client\n" + cluster));
    }

    private static int http2(Sidecar sidecar) throws IOException {
        try (FrameClient client = FrameClient.connect(sidecar.address())) {
            return client.get(1).answer(1).status();
        }
    }

    private static RawResponse http1(Sidecar sidecar) throws IOException {
        try (RawClient client = sidecar.client()) {
            return client.send(Stand.GET).response();
        }
    }

    /** By which the endpoint was asked, and by which it asked. */
    private static String versions(RecordingBackend backend) {
        RawRequest last = backend.requests().get(backend.requests().size() - 1);
        return String.join(", ", last.fields().all("Via")).replaceAll(" (remora|endpoint)[0-9A-Za-z-]*", "");
    }

    private static void eachGoesOnInItsOwn(RecordingBackend backend, Sidecar sidecar) throws IOException {
        for (int i = 0; i < 2; i++) {
            assertThat(http1(sidecar).status()).isEqualTo(200);
            assertThat(versions(backend)).isEqualTo("1.1, 1.1");
            assertThat(http2(sidecar)).isEqualTo(200);
            assertThat(versions(backend)).isEqualTo("2.0, 2.0");
        }
        // both are kept for the next request
        assertThat(sidecar.openBackendConnections()).isEqualTo(2);
    }

    @Test
    void byPriorKnowledgeWithoutTls() throws IOException {
        try (RecordingBackend backend = RecordingBackend.start();
                Sidecar endpoint = endpoint(backend, "protocol: auto");
                Sidecar sidecar = before(endpoint, "")) {
            eachGoesOnInItsOwn(backend, sidecar);
        }
    }

    @Test
    void byAlpnWithTls() throws IOException {
        try (RecordingBackend backend = RecordingBackend.start();
                Sidecar endpoint = endpoint(backend, TLS.pki().listener("", "server") + "\nprotocol: auto");
                Sidecar sidecar = before(endpoint, "tls: { " + TLS.pki().trust("ca") + ", server-name: localhost }")) {
            eachGoesOnInItsOwn(backend, sidecar);
        }
    }

    /** Who knows HTTP/1.1 alone is offered HTTP/2 alone where the client speaks that. */
    @Test
    void offersJustThatProtocol() throws IOException {
        try (RecordingBackend backend = RecordingBackend.start();
                Sidecar endpoint = endpoint(backend, TLS.pki().listener("", "server"));
                Sidecar sidecar = before(endpoint, "tls: { " + TLS.pki().trust("ca") + ", server-name: localhost }")) {
            assertThat(http1(sidecar).status()).isEqualTo(200);
            assertThat(http2(sidecar)).isEqualTo(502);
        }
    }

    @Test
    void oneBoundOfConnectionsIsForBoth() throws IOException {
        try (RecordingBackend backend = RecordingBackend.start();
                Sidecar endpoint = endpoint(backend, "protocol: auto");
                Sidecar sidecar = before(endpoint, "max-connections: 1")) {
            for (int i = 0; i < 2; i++) {
                // the one that rests gives way
                assertThat(http1(sidecar).status()).isEqualTo(200);
                assertThat(http2(sidecar)).isEqualTo(200);
                Await.until("the other has gone", () -> sidecar.openBackendConnections() == 1);
            }
        }
    }

    @Test
    void whatIsInUseGivesNoWay() throws IOException {
        CountDownLatch mayAnswer = new CountDownLatch(1);
        try (RecordingBackend backend = RecordingBackend.start();
                Sidecar endpoint = endpoint(backend, "protocol: auto");
                Sidecar sidecar = before(endpoint, "max-connections: 1");
                RawClient busy = sidecar.client()) {
            backend.onRequest(connection -> {
                connection.readRequest();
                connection.waitFor(() -> Stand.await(mayAnswer));
                connection.write(RecordingBackend.OK);
            });
            busy.send(Stand.GET);
            Await.until("it is there", () -> backend.requests().size() == 1);
            try (FrameClient client = FrameClient.connect(sidecar.address())) {
                assertThat(client.get(1).answer(1).field("remora-error")).isEqualTo("pool-exhausted");
            }
            mayAnswer.countDown();
            assertThat(busy.response().status()).isEqualTo(200);
        }
    }

    /** The endpoint is one, whatever it is spoken to in. */
    @Test
    void outcomesOfBothAreOneEndpoints() throws IOException {
        try (RecordingBackend backend = RecordingBackend.start();
                Sidecar endpoint = endpoint(backend, TLS.pki().listener("", "server"));
                Sidecar sidecar = before(endpoint, """
                        tls: { %s, server-name: localhost }
                        accrual: { consecutive-failures: 2, max-ejected: 100, back-off: 1h, max-back-off: 1h }
                        panic-below: 0
                        """.replace("%s", TLS.pki().trust("ca")))) {
            assertThat(http2(sidecar)).isEqualTo(502);
            assertThat(http2(sidecar)).isEqualTo(502);
            assertThat(sidecar.admin("GET", "/clusters").bodyText()).contains("protocol=client");
            assertThat(sidecar.metrics().sum("remora_endpoint_outcomes_total", "cluster", "app", "outcome", "failure"))
                    .isEqualTo(2);
            assertThat(sidecar.metrics().sum("remora_cluster_ejections_total", "cluster", "app"))
                    .isEqualTo(1);
        }
    }
}
