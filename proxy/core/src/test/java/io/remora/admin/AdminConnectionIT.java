package io.remora.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.model.Address;
import io.remora.config.model.Limits;
import io.remora.metrics.PrometheusLint;
import io.remora.testkit.Await;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.Wire;
import io.remora.transport.Handshake;
import io.remora.transport.Link;
import java.io.IOException;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What one connection of an operator, or of somebody worse, may take. */
final class AdminConnectionIT {
    private static final String LIVE = "GET /live HTTP/1.1\r\nHost: localhost\r\n\r\n";

    private final TestControl control = TestControl.onLoopback();
    private AdminServer server;

    @BeforeEach
    void start() throws IOException {
        server = AdminServer.start(control, Handshake.NONE);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void manyRequestsOnOneConnection() throws IOException {
        try (RawClient client = connect()) {
            for (int i = 0; i < 100; i++) {
                client.sendOctetByOctet(Wire.bytes(LIVE));
                assertThat(client.response().bodyText()).isEqualTo("live\n");
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"1.1, Connection: close", "1.0, X: y"})
    void theConnectionEndsWhenItIsAskedTo(String version, String field) throws IOException {
        try (RawClient client = connect()) {
            client.send("GET /live HTTP/" + version + "\r\nHost: localhost\r\n" + field + "\r\n\r\n");
            assertThat(client.response().field("connection")).isEqualTo("close");
            assertThat(client.closedByPeer()).isTrue();
        }
    }

    @Test
    void pipelinedRequestsAreAnsweredInOrderWhileTheClientReads() throws IOException {
        try (RawClient client = connect()) {
            client.send((LIVE + LIVE.replace("/live", "/none")).repeat(100));
            for (int i = 0; i < 100; i++) {
                assertThat(client.response().status()).isEqualTo(200);
                assertThat(client.response().status()).isEqualTo(404);
            }
        }
    }

    @Test
    void aClientThatReadsNothingHoldsOneResponse() throws IOException {
        try (RawClient client = RawClient.connect(server.address(), 4_096)) {
            byte[] requests = Wire.bytes("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(10_000));
            client.trySend(requests);
            assertThat(live().status()).isEqualTo(200);
            String all = Wire.text(client.readToEnd());
            // As many as the kernel took whole, and the one it did not.
            assertThat(all.split("HTTP/1.1 200 OK").length - 1).isBetween(1, 500);
        }
    }

    @Test
    void aClientThatHalfClosesIsAnswered() throws IOException {
        try (RawClient client = connect()) {
            client.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n").shutdownOutput();
            assertThat(PrometheusLint.of(client.response().bodyText()).problems())
                    .isEmpty();
            assertThat(client.closedByPeer()).isTrue();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "GET /live HTTP/1.1\\r\\nHost : localhost\\r\\n\\r\\n | 400",
                "GET /live HTTP/1.1\\nHost: localhost\\n\\n | 400",
                "GET /live HTTP/1.1\\r\\nHost: localhost\\r\\nContent-Length: 1\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n | 400",
                "POST /log-level HTTP/1.1\\r\\nHost: localhost\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\nxx\\r\\n | 400",
                "\\26\\3\\1\\2\\0\\1\\0\\r\\n\\r\\n | 400",
            })
    void whatIsMalformedIsRefused(String octets, int status) throws IOException {
        refused(octets.translateEscapes(), status);
    }

    @Test
    void whatIsTooLargeIsRefused() throws IOException {
        refused("GET /" + "a".repeat(5_000) + " HTTP/1.1\r\nHost: localhost\r\n\r\n", 414);
        refused("GET /live HTTP/1.1\r\nHost: localhost\r\nA: " + "a".repeat(9_000) + "\r\n\r\n", 431);
        refused(
                "POST /log-level HTTP/1.1\r\nHost: localhost\r\nContent-Length: 300000\r\n\r\n" + "a".repeat(300_000),
                413);
    }

    private void refused(String octets, int status) throws IOException {
        try (RawClient client = connect()) {
            client.trySend(Wire.bytes(octets));
            RawResponse response = client.response();
            assertThat(response.status()).isEqualTo(status);
            assertThat(response.field("connection")).isEqualTo("close");
            assertThat(client.closedByPeer()).isTrue();
        }
        assertThat(live().status()).isEqualTo(200);
    }

    @Test
    void slowClientsHoldNobody() throws IOException {
        List<RawClient> slow = new ArrayList<>();
        try {
            for (int i = 0; i < 200; i++) {
                RawClient client = connect();
                client.trySend(Wire.bytes("GET /metr"));
                slow.add(client);
                if (i % 20 == 0) {
                    assertThat(live().status()).isEqualTo(200);
                }
            }
            assertThat(live().status()).isEqualTo(200);
            assertThat(slow.get(0).closedByPeer()).isTrue();
            RawClient last = slow.get(199);
            last.send("ics HTTP/1.1\r\nHost: localhost\r\n\r\n");
            assertThat(last.response().status()).isEqualTo(200);
            assertThat(adminThreads()).isEqualTo(1);
        } finally {
            slow.forEach(RawClient::close);
        }
    }

    @Test
    void everyStepHasAnEnd() throws IOException {
        try (Closing quick = new Closing(
                new AdminServer(control, Handshake.NONE, TimeUnit.MILLISECONDS.toNanos(200), Limits.UNLIMITED))) {
            try (RawClient silent = RawClient.connect(quick.server.address());
                    RawClient partial = RawClient.connect(quick.server.address());
                    RawClient idle = RawClient.connect(quick.server.address());
                    RawClient stuck = RawClient.connect(quick.server.address())) {
                partial.send("GET /live HTTP/1.1\r\n");
                idle.send(LIVE);
                assertThat(idle.response().status()).isEqualTo(200);
                // Reads its response but never ends the connection.
                stuck.send(LIVE.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));
                assertThat(stuck.response().status()).isEqualTo(200);
                assertThat(silent.closedByPeer()).isTrue();
                assertThat(partial.closedByPeer()).isTrue();
                assertThat(idle.closedByPeer()).isTrue();
                Await.until("the connection is gone", () -> !stuck.trySend(Wire.bytes("x")));
            }
        }
    }

    @Test
    void closeEndsConnectionsAndTheThread() throws IOException {
        try (RawClient client = connect()) {
            client.send(LIVE);
            client.response();
            server.close();
            server.close();
            assertThat(client.closedByPeer()).isTrue();
        }
        // the group counts as ended a moment before its thread has
        Await.until("the admin thread has ended", () -> adminThreads() == 0);
        try (RawClient refused = connect()) {
            throw new AssertionError("still listening: " + refused);
        } catch (java.io.UncheckedIOException e) {
            assertThat(e).hasCauseInstanceOf(ConnectException.class);
        }
    }

    private static long adminThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("remora-admin"))
                .count();
    }

    private RawClient connect() {
        return RawClient.connect(server.address());
    }

    private RawResponse live() throws IOException {
        try (RawClient client = connect()) {
            return client.send(LIVE).response();
        }
    }

    /** Who was verified when it connected is asked again by a new connection. */
    @ParameterizedTest
    @CsvSource({"1, true", "3600000000000, false"})
    void aVerifiedConnectionEndsWhenItIsOld(long ageNs, boolean ends) throws IOException {
        TestControl asking = new TestControl(new Address("127.0.0.1", 0), false, null, TestControl.REQUIRED);
        // the handshake of TLS itself is tried where it is at home, by AdminTlsIT
        Handshake handshake = (channel, outcome) -> outcome.ready(new Link(channel));
        long stepNs = TimeUnit.SECONDS.toNanos(10);
        try (Closing old = new Closing(new AdminServer(asking, handshake, stepNs, ageNs));
                RawClient client = RawClient.connect(old.server().address())) {
            RawResponse response = client.send(LIVE).response();
            assertThat(response.bodyText()).isEqualTo("live\n");
            assertThat(response.field("connection")).isEqualTo(ends ? "close" : null);
            if (ends) {
                assertThat(client.closedByPeer()).isTrue();
            } else {
                assertThat(client.send(LIVE).response().status()).isEqualTo(200);
            }
        }
    }

    private record Closing(AdminServer server) implements AutoCloseable {
        @Override
        public void close() {
            server.close();
        }
    }
}
