package io.remora.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Client and backend without a sidecar between them: what the other tests rely on. */
final class RecordingBackendIT {
    private final RecordingBackend backend = RecordingBackend.start();

    @AfterEach
    void close() {
        backend.close();
    }

    private RawClient client() {
        return RawClient.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), backend.port()));
    }

    @Test
    void answersEachRequestOnOneConnection() throws IOException {
        try (RawClient client = client()) {
            for (int i = 0; i < 3; i++) {
                client.send("GET /" + i + " HTTP/1.1\r\nHost: a\r\n\r\n");
                assertThat(client.response().bodyText()).isEqualTo("ok");
            }
            assertThat(backend.requests()).extracting(RawRequest::target).containsExactly("/0", "/1", "/2");
            assertThat(backend.connections()).hasSize(1);
            assertThat(backend.openConnections()).isOne();
        }
        Await.until("the end is seen", () -> backend.openConnections() == 0);
    }

    @Test
    void recordsOctetByOctet() throws IOException {
        try (RawClient client = client()) {
            for (int i = 1; i <= 200; i++) {
                int length = i;
                client.send("x");
                Await.until("octet " + i, () -> backend.received().length >= length);
                assertThat(backend.received()).hasSize(i);
            }
        }
    }

    @Test
    void doesNotReadForAScriptThatDoesNot() throws IOException {
        backend.onAccept(connection ->
                Await.until("told to go on", () -> !backend.problems().isEmpty()));
        try (RawClient client = client()) {
            client.send("x");
            assertThat(backend.connections()).hasSize(1);
            assertThat(backend.received()).isEmpty();
            backend.problems().add(new IOException("go on"));
            Await.until("read", () -> backend.received().length == 1);
        }
    }

    @Test
    void resets() throws IOException {
        backend.onRequest(BackendConnection::reset);
        try (RawClient client = client()) {
            client.send("x");
            assertThat(client.closedByPeer()).isTrue();
        }
    }

    @Test
    void recordsABrokenRequestAsAProblem() throws IOException {
        try (RawClient client = client()) {
            client.send("GET /\r\n\r\n");
            assertThat(client.closedByPeer()).isTrue();
            assertThat(backend.problems()).hasAtLeastOneElementOfType(StrictHttp.Violation.class);
        }
    }

    @Test
    void writesMoreThanTheKernelHolds() throws IOException {
        int length = 20 << 20;
        backend.onRequest(connection -> {
            connection.readRequest();
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: " + length + "\r\n\r\n");
            connection.write(new byte[length]);
        });
        try (RawClient client = client()) {
            client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
            assertThat(client.response().body()).hasSize(length);
        }
    }

    @Test
    void readsMoreThanItKeeps() throws IOException {
        int length = 6 << 20;
        try (RawClient client = client()) {
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " + length + "\r\n\r\n")
                    .send(new byte[length]);
            assertThat(client.response().status()).isEqualTo(200);
            assertThat(backend.connections().get(0).receivedBytes()).isGreaterThan(length);
        }
    }
}
