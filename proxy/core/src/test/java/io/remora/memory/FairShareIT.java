package io.remora.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.BackendConnection;
import io.remora.testkit.Metrics;
import io.remora.testkit.RawClient;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Setup;
import io.remora.testkit.Swarm;
import io.remora.testkit.Wire;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One client that takes all there is, and others that are served all the same. */
final class FairShareIT {
    private static final String GREEDY = "127.0.0.1";
    private static final String OTHER = "127.0.0.2";
    private static final String SILENT = "GET /silent HTTP/1.1\r\nHost: app\r\n\r\n";
    private static final String UPGRADE =
            "GET /chat HTTP/1.1\r\nHost: app\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                    + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    private static final String SWITCHED =
            "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                    + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n";

    private static final String HINT = "HTTP/1.1 103 Early Hints\r\nLink: <" + "x".repeat(4_000) + ">\r\n\r\n";
    private static final String HALF = "GET / HTTP/1.1\r\nHost: app\r\nCookie: " + "y".repeat(24_000);
    /** Most of a TLS hello. */
    private static final String HELLO =
            "\u0016\u0003\u0001\u0040\u0000\u0001\u0000\u003f\u00fc\u0003\u0003" + "x".repeat(15_000);

    private static final String BY_NAME = "protocol: tcp\n    routes: [ { match: { sni: app.test }, cluster: tcp } ]";
    private static final String UNDECIDED =
            "protocol: detect\n    detect: { cluster: tcp, timeout: 1m }\n    cluster: app";
    private static final String LINE = "GET /" + "x".repeat(8_000);
    private static final String LARGE = "GET / HTTP/1.1\r\nHost: app\r\nCookie: " + "y".repeat(20_000) + "\r\n\r\n";

    @TempDir
    private Path directory;

    private final RecordingBackend backend = RecordingBackend.start().onRequest(FairShareIT::serve);

    @AfterEach
    void close() {
        backend.close();
    }

    private static void serve(BackendConnection connection) throws IOException {
        switch (connection.readRequest().target()) {
            case "/silent" -> connection.readToEnd();
            case "/hints" -> hint(connection);
            case "/chat" -> {
                connection.write(SWITCHED);
                connection.readToEnd();
            }
            default -> connection.write(RecordingBackend.OK);
        }
    }

    /** Interim responses without end, which nobody reads. */
    private static void hint(BackendConnection connection) {
        byte[] hints = Wire.bytes(HINT.repeat(20));
        try {
            while (true) {
                connection.write(hints);
            }
        } catch (IOException cut) {
            // the sidecar has had enough
        }
    }

    private TightSidecar start(String listener) throws IOException {
        return TightSidecar.start(directory, Setup.before(backend).listener(listener));
    }

    @Test
    void silentRequestsOfOneClientMakeRoomForAnother() throws IOException {
        greedy(start(""), SILENT);
    }

    @Test
    void idleWebSocketsOfOneClientMakeRoomForAnother() throws IOException {
        greedy(start(""), UPGRADE);
    }

    /** Connections at rest take of the memory that exchanges are planned with, so that nobody can have as many as planned. */
    @Test
    void underTheLeastLimitSharesAreOfWhatThereIsRoomFor() throws IOException {
        greedy(TightSidecar.startWithLeast(directory, Setup.before(backend)), SILENT);
    }

    /** Idle connections take most of the memory for sockets, so that it stays short while the exchanges are within their share. */
    @Test
    void idleConnectionsOfAClientWithinItsShareKeepNobodyOut() throws IOException {
        try (TightSidecar sidecar = TightSidecar.startWithLeast(directory, Setup.before(backend));
                Swarm idle = Swarm.from(GREEDY, sidecar.address(), 170, new byte[0]);
                Swarm silent = Swarm.from(GREEDY, sidecar.address(), 100, Wire.bytes(SILENT))) {
            idle.awaitSettled();
            silent.awaitSettled();
            awaitFull(sidecar);
            sidecar.awaitOld();
            Await.until("served", () -> sidecar.canary(OTHER) == 200);
            for (int i = 0; i < 100; i++) {
                assertThat(sidecar.canary(OTHER)).as(sidecar.log()).isEqualTo(200);
            }
        }
    }

    private static void greedy(TightSidecar started, String request) {
        try (TightSidecar sidecar = started;
                Swarm swarm = Swarm.from(GREEDY, sidecar.address(), 400, Wire.bytes(request))) {
            swarm.awaitSettled();
            awaitFull(sidecar);
            sidecar.awaitOld();
            Await.until("served", () -> sidecar.canary(OTHER) == 200);
            // from now on each time: what makes room is old enough
            for (int i = 0; i < 50; i++) {
                assertThat(sidecar.canary(OTHER)).isEqualTo(200);
            }
            long yielded = sidecar.metrics().sum("remora_memory_yielded_total");
            // on a slow host, pressure may have made all the room before the other client came
            long made = yielded + sidecar.metrics().sum("remora_memory_cut_total");
            assertThat(yielded).isLessThanOrEqualTo(60);
            assertThat(made).isPositive();
        }
    }

    private static void awaitFull(TightSidecar sidecar) {
        Await.until("refused", () -> sidecar.metrics().sum("remora_memory_refused_total") > 0);
    }

    /** A client that is alone, such as a gateway in front of the sidecar, has all of it. */
    @Test
    void aClientThatIsAloneMayHaveAll() throws IOException {
        try (TightSidecar sidecar = start("");
                Swarm swarm = Swarm.from(GREEDY, sidecar.address(), 400, Wire.bytes(SILENT))) {
            swarm.awaitSettled();
            awaitFull(sidecar);
            long inFlight = sidecar.metrics().sum("remora_memory_exchanges");
            long endNs = System.nanoTime() + 2_000_000_000L;
            while (System.nanoTime() - endNs < 0) {
                // for longer than what another one would have to wait
                assertThat(sidecar.canary(GREEDY)).isEqualTo(503);
            }
            Metrics metrics = sidecar.metrics();
            assertThat(metrics.sum("remora_memory_yielded_total")).isZero();
            assertThat(metrics.sum("remora_memory_exchanges")).isEqualTo(inFlight);
        }
    }

    /** Behind a peer that is trusted, its clients are told apart. */
    @Test
    void clientsOfATrustedPeerHaveSharesOfTheirOwn() throws IOException {
        String trust = "trust: { cidrs: [ 127.0.0.0/8 ] }";
        String forwarded = SILENT.replace("\r\n\r\n", "\r\nX-Forwarded-For: 10.0.0.1\r\n\r\n");
        try (TightSidecar sidecar = start(trust);
                Swarm swarm = Swarm.from(GREEDY, sidecar.address(), 400, Wire.bytes(forwarded))) {
            swarm.awaitSettled();
            awaitFull(sidecar);
            sidecar.awaitOld();
            Await.until("served", () -> status(sidecar, "10.0.0.2") == 200);
            // each time: all that can make room is old enough
            for (int i = 0; i < 50; i++) {
                assertThat(status(sidecar, "10.0.0.2")).isEqualTo(200);
            }
        }
    }

    private static int status(TightSidecar sidecar, String client) {
        try (RawClient peer = RawClient.connect(sidecar.address())) {
            return peer.send("GET / HTTP/1.1\r\nHost: app\r\nX-Forwarded-For: " + client + "\r\n\r\n")
                    .response()
                    .status();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void unfinishedHeadsOfOneClientMakeRoomForAnother() throws IOException {
        byte[] half = Wire.bytes(HALF);
        List<RawClient> heads = new ArrayList<>();
        try (TightSidecar sidecar = start("")) {
            while (sidecar.metrics().sum("remora_failures_total", "failure", "overloaded") == 0) {
                assertThat(heads).as("heads that are not refused").hasSizeLessThan(500);
                heads.add(RawClient.connectFrom(GREEDY, sidecar.address()).send(half));
            }
            // in two parts, as what is whole is served out of what the others have to leave
            Await.until(
                    "served, and room was made",
                    () -> largeInParts(sidecar) == 200 && sidecar.metrics().sum("remora_memory_yielded_total") > 0);
        } finally {
            heads.forEach(RawClient::close);
        }
    }

    /** Clients that come back before a second is over have nothing that is older. */
    @Test
    void youngHeadsOfOneClientMakeRoomForAnother() throws IOException {
        try (TightSidecar sidecar = start("")) {
            for (int i = 0; i < 20; i++) {
                try (Swarm swarm = Swarm.from(GREEDY, sidecar.address(), 200, Wire.bytes(HALF))) {
                    swarm.awaitSettled();
                    awaitFull(sidecar, 1 + i);
                    assertThat(large(sidecar)).as(sidecar.log()).isEqualTo(200);
                }
            }
        }
    }

    /** Bytes of a connection that ends are free at once, or no end would be enough. */
    @Test
    void hellosOfOneClientMakeRoomForAnother() throws IOException {
        begun(BY_NAME, HELLO);
    }

    /** Many are refused in one turn of the loop, as after a stall, and with them goes what they held. */
    @Test
    void hellosThatComeAtOnceLeaveRoomForAnother() throws IOException {
        comeAtOnce(BY_NAME, HELLO);
    }

    @Test
    void undecidedLinesThatComeAtOnceLeaveRoomForAnother() throws IOException {
        comeAtOnce(UNDECIDED, LINE);
    }

    private void comeAtOnce(String listener, String text) throws IOException {
        byte[] octets = Wire.bytes(text);
        List<RawClient> many = new ArrayList<>();
        try (TightSidecar sidecar = TightSidecar.start(directory, yaml(listener))) {
            fill(sidecar, many, octets);
            sidecar.signal("STOP");
            for (int i = 0; i < 40; i++) {
                many.add(RawClient.connectFrom(GREEDY, sidecar.address()).send(octets));
            }
            RawClient other = RawClient.connectFrom(OTHER, sidecar.address()).send(octets);
            many.add(other);
            sidecar.signal("CONT");
            Await.until("yielded", () -> sidecar.metrics().sum("remora_memory_yielded_total") >= 1);
            // a few of them find what was made room for, by their second part
            Await.until("refused", () -> sidecar.metrics().sum("remora_failures_total", "failure", "overloaded") >= 30);
            assertThat(other.readTimeoutMs(200).closedByPeer())
                    .as(sidecar.log())
                    .isFalse();
        } finally {
            many.forEach(RawClient::close);
        }
    }

    @Test
    void undecidedLinesOfOneClientMakeRoomForAnother() throws IOException {
        begun(UNDECIDED, LINE);
    }

    private void begun(String listener, String octets) throws IOException {
        begun(TightSidecar.start(directory, yaml(listener)), Wire.bytes(octets));
    }

    private String yaml(String listener) {
        return """
                admin: { address: "127.0.0.1:0" }
                log-level: info
                listeners:
                  - name: test
                    address: "127.0.0.1:0"
                    LISTENER
                clusters:
                  app: { endpoints: [ "127.0.0.1:PORT" ] }
                  tcp: { endpoints: [ "127.0.0.1:PORT" ], protocol: tcp }
                """.replace("LISTENER", listener).replace("PORT", "" + backend.port());
    }

    private static void fill(TightSidecar sidecar, List<RawClient> many, byte[] octets) throws IOException {
        while (sidecar.metrics().sum("remora_failures_total", "failure", "overloaded") == 0) {
            assertThat(many).as("connections that are not refused").hasSizeLessThan(2_000);
            many.add(RawClient.connectFrom(GREEDY, sidecar.address()).send(octets));
        }
    }

    private static void begun(TightSidecar started, byte[] octets) throws IOException {
        List<RawClient> many = new ArrayList<>();
        try (TightSidecar sidecar = started) {
            fill(sidecar, many, octets);
            for (int i = 1; i <= 5; i++) {
                RawClient other =
                        RawClient.connectFrom(OTHER, sidecar.address()).send(octets);
                many.add(other);
                int times = i;
                Await.until("yielded", () -> sidecar.metrics().sum("remora_memory_yielded_total") >= times);
                assertThat(other.readTimeoutMs(200).closedByPeer())
                        .as(sidecar.log())
                        .isFalse();
            }
            assertThat(sidecar.metrics().sum("remora_memory_yielded_total")).isEqualTo(5);
        } finally {
            many.forEach(RawClient::close);
        }
    }

    private static void awaitFull(TightSidecar sidecar, int times) {
        Await.until("refused", () -> sidecar.metrics().sum("remora_failures_total", "failure", "overloaded") >= times);
    }

    /** A response that has ended keeps its grant until it is read. */
    @Test
    void interimsThatOneClientDoesNotReadMakeRoomForAnother() throws IOException {
        greedy(start(""), SILENT.replace("/silent", "/hints"));
    }

    @Test
    void unreadInterimsUnderTheLeastLimitMakeRoomForAnother() throws IOException {
        greedy(TightSidecar.startWithLeast(directory, Setup.before(backend)), SILENT.replace("/silent", "/hints"));
    }

    /** The longest idle connection is another client's. */
    @Test
    void idleConnectionsOfOneClientAreClosedBeforeAnothers() throws IOException {
        try (TightSidecar sidecar = TightSidecar.startWithLeast(directory, Setup.before(backend));
                RawClient early = RawClient.connectFrom(OTHER, sidecar.address())) {
            String get = SILENT.replace("/silent", "/");
            assertThat(early.send(get).response().status()).isEqualTo(200);
            try (Swarm idle = Swarm.from(GREEDY, sidecar.address(), 1_000, new byte[0])) {
                idle.awaitSettled();
                Await.until("closed", () -> sidecar.metrics().sum("remora_memory_connections_shed_total") > 500);
                assertThat(early.send(get).response().status()).isEqualTo(200);
            }
        }
    }

    private static int large(TightSidecar sidecar) {
        try (RawClient client = RawClient.connectFrom(OTHER, sidecar.address())) {
            return client.send(LARGE).response().status();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static int largeInParts(TightSidecar sidecar) {
        int half = LARGE.length() / 2;
        try (RawClient client = RawClient.connectFrom(OTHER, sidecar.address())) {
            client.send(LARGE.substring(0, half));
            return client.send(LARGE.substring(half)).response().status();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
