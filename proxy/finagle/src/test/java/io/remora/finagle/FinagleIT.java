package io.remora.finagle;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.AccessLogFile;
import io.remora.testkit.Await;
import io.remora.testkit.BackendConnection;
import io.remora.testkit.Count;
import io.remora.testkit.DeadPort;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawRequest;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Setup;
import io.remora.testkit.Sidecar;
import io.remora.testkit.Stand;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The sidecar with Finagle as its engine, before backends that record every octet. */
final class FinagleIT {
    private static final String GET = "GET /a?b=c HTTP/1.1\r\nHost: app\r\n\r\n";
    private static final int LARGE = 64 << 20;
    /** What the kernel and the sidecar may hold of a body that nobody reads. */
    private static final int MOST_ON_THE_WAY = 24 << 20;

    private static final int AT_REST_MS = 500;

    private final RecordingBackend backend = RecordingBackend.start();

    @AfterEach
    void close() {
        backend.close();
    }

    private Sidecar start() {
        return Sidecar.start(Setup.before(backend).process("engine: finagle"));
    }

    private static Sidecar start(Setup setup) {
        return Sidecar.start(setup.process("engine: finagle"));
    }

    private String received() {
        return new String(backend.received(), StandardCharsets.ISO_8859_1);
    }

    @Test
    void getsOnOneConnection() throws IOException {
        try (Sidecar sidecar = start();
                RawClient client = sidecar.client()) {
            for (int i = 0; i < 5; i++) {
                assertThat(client.send(GET).response().bodyText()).isEqualTo("ok");
            }
            assertThat(backend.connections()).hasSize(1);
            assertThat(backend.requests()).hasSize(5);
        }
    }

    @Test
    void sendsTheFieldsThatTheOtherEngineSends() throws IOException {
        String request = "GET /a?b=c HTTP/1.1\r\nHost: app\r\nX-Two: 2\r\nx-one: 1\r\nX-Two: 1\r\n"
                + "Accept: */*\r\nX-Request-Id: abc\r\nX-Two: 3\r\n\r\n";
        try (Sidecar sidecar = start();
                RawClient client = sidecar.client()) {
            client.send(request).response();
        }
        String byFinagle = received();
        try (RecordingBackend other = RecordingBackend.start();
                Sidecar sidecar = Sidecar.before(other);
                RawClient client = sidecar.client()) {
            client.send(request).response();
            assertThat(byFinagle).isEqualTo(new String(other.received(), StandardCharsets.ISO_8859_1));
        }
    }

    /** Content is expected of three methods, so that its absence is stated (RFC 9110 8.6). */
    @ParameterizedTest
    @CsvSource({"POST, true", "PUT, true", "PATCH, true", "get, false"})
    void addsALengthWhereContentIsExpected(String method, boolean expected) throws IOException {
        try (Sidecar sidecar = start();
                RawClient client = sidecar.client()) {
            assertThat(client.send(GET.replace("GET", method)).response().status())
                    .isEqualTo(200);
        }
        String sent = received();
        assertThat(sent)
                .startsWith(method + " /a?b=c HTTP/1.1\r\nHost: app\r\n")
                .doesNotContain("Transfer-Encoding");
        assertThat(sent.contains("\r\nContent-Length: 0\r\n")).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 5\r\n\r\nhello",
                "Transfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n"
            })
    void posts(String rest) throws IOException {
        try (Sidecar sidecar = start();
                RawClient client = sidecar.client()) {
            for (int i = 0; i < 3; i++) {
                client.send("POST / HTTP/1.1\r\nHost: app\r\n" + rest);
                assertThat(client.response().bodyText()).isEqualTo("ok");
            }
        }
        assertThat(backend.connections()).hasSize(1);
        assertThat(backend.requests()).hasSize(3).allSatisfy(seen -> assertThat(seen.bodyText())
                .isEqualTo("hello"));
    }

    @Test
    void passesTrailersBothWays() throws IOException {
        backend.reply("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-B\r\n\r\n"
                + "2\r\nok\r\n0\r\nX-B: 1\r\nX-A: 2\r\nX-B: 3\r\n\r\n");
        try (Sidecar sidecar = start();
                RawClient client = sidecar.client()) {
            client.send("POST / HTTP/1.1\r\nHost: app\r\nTE: trailers\r\nConnection: TE\r\n"
                    + "Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nX-D: 1\r\nX-C: 2\r\nX-D: 3\r\n\r\n");
            RawResponse response = client.response();
            assertThat(response.bodyText()).isEqualTo("ok");
            assertThat(response.trailers().toString()).contains("X-B", "X-A");
        }
        assertThat(received()).contains("\r\nX-D: 1\r\nX-C: 2\r\nX-D: 3\r\n\r\n");
    }

    @Test
    void tellsInterimResponsesToWhoseTheyAre() throws IOException {
        backend.reply("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na");
        try (Sidecar sidecar = start();
                RawClient first = sidecar.client();
                RawClient second = sidecar.client()) {
            for (int i = 0; i < 3; i++) {
                for (RawClient client : List.of(first, second)) {
                    RawResponse response = client.send(GET).response();
                    assertThat(response.status()).isEqualTo(200);
                    assertThat(response.bodyText()).isEqualTo("a");
                }
            }
            assertThat(backend.connections()).hasSize(1);
        }
    }

    /** A second response, which nobody asked for, is not taken for the answer to the next request. */
    @Test
    void dropsAResponseThatNobodyAskedFor() throws IOException {
        backend.reply(
                "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na" + "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nb");
        try (Sidecar sidecar = start();
                RawClient first = sidecar.client();
                RawClient second = sidecar.client()) {
            for (int i = 0; i < 5; i++) {
                assertThat(first.send(GET).response().bodyText()).isEqualTo("a");
                assertThat(second.send(GET).response().bodyText()).isEqualTo("a");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
                "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n",
                "HTTP/1.1 99 A\r\n\r\n",
                "nonsense\r\n\r\n"
            })
    void refusesWhatIsNoResponse(String octets) throws IOException {
        backend.reply(octets);
        try (Sidecar sidecar = start();
                RawClient client = sidecar.client()) {
            RawResponse response = client.send(GET).response();
            assertThat(response.status()).isEqualTo(502);
            assertThat(response.field("Remora-Error")).isEqualTo("bad-response");
            Await.until("closed", () -> backend.openConnections() == 0);
        }
    }

    @Test
    void answersForABackendThatIsNotThere() throws IOException {
        try (DeadPort dead = new DeadPort();
                Sidecar sidecar = start(Setup.at(dead.port()));
                RawClient client = sidecar.client()) {
            RawResponse response = client.send(GET).response();
            assertThat(response.status()).isEqualTo(502);
            assertThat(response.field("Remora-Error")).isEqualTo("connect-failed");
        }
    }

    @Test
    void asksOnceForAConnectionWhereThereIsNoOtherEndpoint() throws IOException {
        try (DeadPort dead = new DeadPort();
                Sidecar sidecar = start(Setup.at(dead.port()));
                RawClient client = sidecar.client()) {
            client.send(GET).response();
            assertThat(sidecar.count(Count.BACKEND_CONNECT_FAILURES)).isOne();
        }
    }

    @Test
    void goesToTheEndpointThatIsThere() throws IOException {
        try (DeadPort dead = new DeadPort();
                Sidecar sidecar = start(Setup.at(dead.port()).and(backend).cluster("balancer: {kind: round-robin}"));
                RawClient client = sidecar.client()) {
            for (int i = 0; i < 8; i++) {
                assertThat(client.send(GET).response().bodyText()).isEqualTo("ok");
            }
        }
    }

    @Test
    void putsAFailingEndpointOutOfUse() throws IOException {
        try (RecordingBackend failing = RecordingBackend.start();
                Sidecar sidecar = start(
                        Setup.before(backend, failing)
                                .cluster(
                                        "balancer: {kind: round-robin}\naccrual: {consecutive-failures: 2, back-off: 1h, max-back-off: 1h}"));
                RawClient client = sidecar.client()) {
            failing.reply("HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n");
            for (int i = 0; i < 40; i++) {
                client.send(GET).response();
            }
            assertThat(failing.requests()).hasSize(2);
            assertThat(backend.requests()).hasSize(38);
        }
    }

    @Test
    void namesTheEndpointInLogAndMetrics(@TempDir Path directory) throws IOException {
        AccessLogFile log = new AccessLogFile(directory.resolve("access.log"));
        String answering = "127.0.0.1:" + backend.port();
        try (DeadPort dead = new DeadPort()) {
            Setup both = Setup.at(dead.port()).and(backend).cluster("balancer: {kind: round-robin}");
            try (Sidecar sidecar = Sidecar.start(both.process("engine: finagle\n" + log.setting()));
                    RawClient client = sidecar.client()) {
                for (int i = 1; i <= 4; i++) {
                    assertThat(client.send(GET).response().bodyText()).isEqualTo("ok");
                    assertThat(log.line(i))
                            .contains(
                                    "\"" + answering + "\"", "\"cluster\":\"app\"", "\"backend_version\":\"HTTP/1.1\"");
                }
                String metrics = sidecar.admin("GET", "/metrics").bodyText();
                String labels = "{cluster=\"app\",endpoint=\"" + answering + "\"";
                assertThat(metrics)
                        .contains("remora_endpoint_outcomes_total" + labels + ",outcome=\"success\"} 4")
                        .contains("remora_backend_connections_idle" + labels + "} 1");
            }
        }
    }

    @Test
    void namesTheEndpointThatIsNotThere(@TempDir Path directory) throws IOException {
        AccessLogFile log = new AccessLogFile(directory.resolve("access.log"));
        try (DeadPort dead = new DeadPort();
                Sidecar sidecar = Sidecar.start(Setup.at(dead.port()).process("engine: finagle\n" + log.setting()));
                RawClient client = sidecar.client()) {
            assertThat(client.send(GET).response().status()).isEqualTo(502);
            assertThat(log.line(1)).contains("\"127.0.0.1:" + dead.port() + "\"", "connect-failed");
        }
    }

    @Test
    void doesNotBlameAnEndpointForAClientThatLeaves() throws IOException {
        backend.onRequest(BackendConnection::readToEnd);
        try (RecordingBackend other = RecordingBackend.start();
                Sidecar sidecar = start(Setup.before(backend, other)
                        .cluster("balancer: {kind: round-robin}\naccrual: {consecutive-failures: 1, back-off: 1h, "
                                + "max-back-off: 1h}"))) {
            RawClient leaving = sidecar.client();
            for (int i = 0; i < 2 && backend.received().length == 0; i++) {
                leaving.send(GET);
                Await.within(AT_REST_MS, () -> backend.received().length > 0);
            }
            assertThat(backend.received()).isNotEmpty();
            leaving.reset();
            Await.until("closed", () -> backend.openConnections() == 0);
            backend.replyOk();
            int before = backend.requests().size();
            try (RawClient client = sidecar.client()) {
                for (int i = 0; i < 4; i++) {
                    assertThat(client.send(GET).response().bodyText()).isEqualTo("ok");
                }
            }
            assertThat(backend.requests().size()).isGreaterThan(before);
        }
    }

    @Test
    void blamesAnEndpointThatIsSilent() throws IOException {
        backend.onRequest(BackendConnection::readToEnd);
        try (RecordingBackend other = RecordingBackend.start();
                Sidecar sidecar = start(Setup.before(backend, other)
                        .cluster("balancer: {kind: round-robin}\ntimeouts: {response-header: 200ms}\n"
                                + "accrual: {consecutive-failures: 1, back-off: 1h, max-back-off: 1h}"));
                RawClient client = sidecar.client()) {
            int failed = 0;
            for (int i = 0; i < 8; i++) {
                failed += client.send(GET).response().status() == 504 ? 1 : 0;
            }
            assertThat(failed).isOne();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "balancer: least-loaded",
                "balancer: {kind: peak-ewma, decay: 1s}",
                "balancer: {kind: aperture, size: 1}",
                "accrual: {consecutive-failures: 0, success-rate: 50, requests: 10, window: 10s}",
                "accrual: {success-rate: 50}"
            })
    void servesWithWhatIsMapped(String cluster) throws IOException {
        try (RecordingBackend other = RecordingBackend.start();
                Sidecar sidecar = start(Setup.before(backend, other).cluster(cluster));
                RawClient client = sidecar.client()) {
            for (int i = 0; i < 20; i++) {
                assertThat(client.send(GET).response().bodyText()).isEqualTo("ok");
            }
            assertThat(backend.requests().size() + other.requests().size()).isEqualTo(20);
        }
    }

    @Test
    void givesAnEndpointItsWeight() throws IOException {
        try (RecordingBackend other = RecordingBackend.start();
                Sidecar sidecar = Sidecar.of("""
                        engine: finagle
                        log-level: warn
                        admin: {address: "127.0.0.1:0"}
                        listeners:
                          - {name: test, address: "127.0.0.1:0", cluster: app}
                          - {name: barrier, address: "127.0.0.1:0", cluster: barrier}
                        clusters:
                          app:
                            endpoints:
                              - {address: "127.0.0.1:FIRST", weight: 9}
                              - {address: "127.0.0.1:OTHER", weight: 1}
                          barrier: {endpoints: ["127.0.0.1:${BARRIER}"]}
                        """.replace("FIRST", Integer.toString(backend.port()))
                        .replace("OTHER", Integer.toString(other.port())));
                RawClient client = sidecar.client()) {
            for (int i = 0; i < 200; i++) {
                assertThat(client.send(GET).response().bodyText()).isEqualTo("ok");
            }
            assertThat(other.requests().size()).isBetween(1, 60);
        }
    }

    @Test
    void boundsAnAttemptAsItsRouteSays() throws IOException {
        backend.onRequest(BackendConnection::readToEnd);
        try (Sidecar sidecar = Sidecar.of("""
                        engine: finagle
                        log-level: warn
                        admin: {address: "127.0.0.1:0"}
                        listeners:
                          - name: test
                            address: "127.0.0.1:0"
                            routes: [{cluster: app, timeouts: {try: 200ms}}]
                          - {name: barrier, address: "127.0.0.1:0", cluster: barrier}
                        clusters:
                          app: {endpoints: ["127.0.0.1:PORT"]}
                          barrier: {endpoints: ["127.0.0.1:${BARRIER}"]}
                        """.replace("PORT", Integer.toString(backend.port())));
                RawClient client = sidecar.client()) {
            assertThat(client.send(GET).response().field("Remora-Error")).isEqualTo("try-timeout");
            Await.until("closed", () -> backend.openConnections() == 0);
            assertThat(backend.connections()).hasSize(1);
        }
    }

    @Test
    void refusesARequestBeyondThePool() throws IOException {
        backend.onRequest(BackendConnection::readToEnd);
        try (Sidecar sidecar = start(Setup.before(backend).cluster("max-connections: 1"));
                RawClient first = sidecar.client();
                RawClient second = sidecar.client()) {
            first.send(GET);
            Await.until("the request is at the backend", () -> backend.received().length > 0);
            RawResponse response = second.send(GET).response();
            assertThat(response.status()).isEqualTo(503);
            assertThat(response.field("Remora-Error")).isEqualTo("pool-exhausted");
            first.reset();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void keepsNoMoreIdleConnectionsThanConfigured(int most) throws IOException {
        CountDownLatch bothThere = new CountDownLatch(2);
        backend.onRequest(connection -> {
            connection.readRequest();
            bothThere.countDown();
            Stand.await(bothThere);
            connection.write(RecordingBackend.OK);
        });
        try (Sidecar sidecar = start(Setup.before(backend).cluster("max-idle-connections: " + most));
                RawClient first = sidecar.client();
                RawClient second = sidecar.client()) {
            first.send(GET);
            second.send(GET);
            assertThat(first.response().bodyText()).isEqualTo("ok");
            assertThat(second.response().bodyText()).isEqualTo("ok");
            Await.until("the others are closed", () -> backend.openConnections() == most);
            assertThat(Await.within(AT_REST_MS, () -> backend.openConnections() != most))
                    .isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"idle", "max-connection-age"})
    void closesAConnectionInTime(String key) throws IOException {
        try (Sidecar sidecar = start(Setup.before(backend).cluster("timeouts: {" + key + ": 200ms}"));
                RawClient client = sidecar.client()) {
            assertThat(client.send(GET).response().bodyText()).isEqualTo("ok");
            Await.until("closed", () -> backend.openConnections() == 0);
            assertThat(client.send(GET).response().bodyText()).isEqualTo("ok");
        }
    }

    @Test
    void answersForABackendThatIsSilent() throws IOException {
        backend.onRequest(BackendConnection::readToEnd);
        try (Sidecar sidecar = start(Setup.before(backend).cluster("timeouts: {response-header: 200ms}"));
                RawClient client = sidecar.client()) {
            RawResponse response = client.send(GET).response();
            assertThat(response.field("Remora-Error")).isEqualTo("response-timeout");
            Await.until("closed", () -> backend.openConnections() == 0);
        }
    }

    @Test
    void runsOnSeveralLoops() throws IOException {
        try (Sidecar sidecar = Sidecar.start(Setup.before(backend).process("engine: finagle\nworkers: 2"));
                RawClient first = sidecar.client();
                RawClient second = sidecar.client()) {
            for (int i = 0; i < 5; i++) {
                assertThat(first.send(GET).response().bodyText()).isEqualTo("ok");
                assertThat(second.send(GET).response().bodyText()).isEqualTo("ok");
            }
        }
    }

    @Test
    void answersForABackendThatCloses() throws IOException {
        backend.onRequest(connection -> {
            connection.readRequest();
            connection.close();
        });
        try (Sidecar sidecar = start();
                RawClient client = sidecar.client()) {
            RawResponse response = client.send(GET).response();
            assertThat(response.status()).isEqualTo(502);
            assertThat(response.field("Remora-Error")).isEqualTo("backend-closed");
        }
    }

    @Test
    void cutsTheClientOffWhereTheBackendBreaksOff() throws IOException {
        backend.onRequest(connection -> {
            connection.readRequest();
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
            connection.reset();
        });
        try (Sidecar sidecar = start();
                RawClient client = sidecar.client()) {
            client.send(GET);
            byte[] all = client.readToEnd();
            assertThat(new String(all, StandardCharsets.ISO_8859_1)).doesNotContain("\r\n\r\nHTTP");
        }
    }

    @Test
    void repeatsOnAFreshConnectionWhatAStaleOneDidNotAnswer() throws IOException {
        backend.onRequest(connection -> {
            connection.readRequest();
            if (connection.index() == 0 && backend.requests().size() > 1) {
                connection.close();
            } else {
                connection.write(RecordingBackend.OK);
            }
        });
        try (Sidecar sidecar = start();
                RawClient client = sidecar.client()) {
            assertThat(client.send(GET).response().bodyText()).isEqualTo("ok");
            assertThat(client.send(GET).response().bodyText()).isEqualTo("ok");
            assertThat(backend.connections()).hasSize(2);
        }
    }

    @Test
    void endsTheAttemptWithItsClient() throws IOException {
        backend.onRequest(BackendConnection::readToEnd);
        try (Sidecar sidecar = start()) {
            RawClient client = sidecar.client();
            client.send(GET);
            Await.until("the request is at the backend", () -> backend.received().length > 0);
            client.reset();
            Await.until("closed", () -> backend.openConnections() == 0);
            sidecar.awaitIdle();
        }
    }

    @Test
    void readsAnEndpointNoFasterThanItsClient() throws IOException {
        byte[] piece = new byte[1 << 16];
        AtomicLong written = new AtomicLong();
        backend.onRequest(connection -> {
            connection.readRequest();
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: " + LARGE + "\r\n\r\n");
            for (int sent = 0; sent < LARGE; sent += piece.length) {
                connection.write(piece);
                written.addAndGet(piece.length);
            }
        });
        try (Sidecar sidecar = start();
                RawClient client = RawClient.connect(sidecar.address(), 8 * 1024)) {
            client.send(GET);
            assertThat(client.responseHead().status()).isEqualTo(200);
            assertThat(Await.within(AT_REST_MS, () -> written.get() > MOST_ON_THE_WAY))
                    .isFalse();
            InputStream in = client.input();
            byte[] read = new byte[1 << 16];
            long count = 0;
            while (count < LARGE) {
                int some = in.read(read);
                assertThat(some).isPositive();
                count += some;
            }
            assertThat(count).isEqualTo(LARGE);
        }
    }

    @Test
    void readsAClientNoFasterThanItsEndpoint() throws Exception {
        byte[] piece = new byte[1 << 16];
        CountDownLatch mayRead = new CountDownLatch(1);
        AtomicLong sent = new AtomicLong();
        backend.onRequest(connection -> {
            connection.readHead();
            Stand.await(mayRead);
            InputStream in = connection.input();
            byte[] read = new byte[1 << 14];
            for (long left = LARGE; left > 0; ) {
                int some = in.read(read, 0, (int) Math.min(read.length, left));
                if (some < 0) {
                    return;
                }
                left -= some;
            }
            connection.write(RecordingBackend.OK);
        });
        try (Sidecar sidecar = start();
                RawClient client = sidecar.client()) {
            client.send("POST / HTTP/1.1\r\nHost: app\r\nContent-Length: " + LARGE + "\r\n\r\n");
            Thread sender = new Thread(() -> {
                try {
                    while (sent.get() < LARGE) {
                        client.send(piece);
                        sent.addAndGet(piece.length);
                    }
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            sender.start();
            assertThat(Await.within(AT_REST_MS, () -> sent.get() > MOST_ON_THE_WAY))
                    .isFalse();
            mayRead.countDown();
            sender.join();
            assertThat(client.response().bodyText()).isEqualTo("ok");
        }
    }

    @Test
    void usesEveryEndpoint() throws IOException {
        try (RecordingBackend other = RecordingBackend.start();
                Sidecar sidecar = start(Setup.before(backend, other).cluster("balancer: {kind: round-robin}"));
                RawClient client = sidecar.client()) {
            for (int i = 0; i < 6; i++) {
                assertThat(client.send(GET).response().bodyText()).isEqualTo("ok");
            }
            assertThat(backend.requests()).hasSize(3);
            List<RawRequest> seen = other.requests();
            assertThat(seen).hasSize(3);
        }
    }
}
