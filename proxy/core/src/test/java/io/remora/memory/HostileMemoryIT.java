package io.remora.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.BackendConnection;
import io.remora.testkit.Metrics;
import io.remora.testkit.Pki;
import io.remora.testkit.RawClient;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Setup;
import io.remora.testkit.Swarm;
import io.remora.testkit.Wire;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Everything that a peer can make grow, one kind a test, on a small heap: the sidecar refuses or cuts some, serves the rest,
 * and never ends.
 */
final class HostileMemoryIT {
    private static final String GET = "GET / HTTP/1.1\r\nhost: app\r\n\r\n";
    /** Lines of the longest head that an endpoint may send, which do not end it. */
    private static final String LONG_LINES = ("X: " + "x".repeat(693) + "\r\n").repeat(94);

    /** The same in lines that take most of the heap for their octets. */
    private static final String SHORT_LINES = "a:b\r\n".repeat(13_000);

    @TempDir
    private Path directory;

    private final RecordingBackend backend = RecordingBackend.start();

    @AfterEach
    void close() {
        backend.close();
    }

    // ---- clients

    @Test
    void unfinishedHeadsOfRequests() throws IOException {
        crowdOf(4_000, "GET / HTTP/1.1\r\nhost: x\r\ncookie: " + "y".repeat(24_000));
    }

    /** A connection whose head was refused lingers, and keeps nothing of it. */
    @Test
    void refusedHeadsOfRequests() throws IOException {
        crowdOf(4_000, "GET / HTTP/1.1\r\nhost: x\r\ncookie: " + "y".repeat(32_000) + "\r\n: \r\n");
    }

    @Test
    void unfinishedTrailersOfRequests() throws IOException {
        String post = "POST / HTTP/1.1\r\nhost: app\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n";
        crowdOf(1_500, post + "cookie: " + "y".repeat(32_000));
    }

    /** A connection at rest keeps nothing of the last request on it. */
    @Test
    void longHeadsOnConnectionsAtRest() throws IOException {
        backend.onRequest(connection -> {
            connection.readRequest();
            connection.write(RecordingBackend.OK);
        });
        crowdOf(2_000, "GET / HTTP/1.1\r\nhost: x\r\ncookie: " + "y".repeat(31_000) + "\r\n\r\n");
    }

    /** Each name that Connection nominates is kept for the trailers. */
    @Test
    void nominatedFieldsOfRequests() throws IOException {
        String names = "a,".repeat(16_000);
        crowdOf(1_000, "POST / HTTP/1.1\r\nhost: x\r\nConnection: " + names + "\r\nContent-Length: 9\r\n\r\n1");
    }

    /** Connections that were refused wait for their client to close, and make room for anyone who comes. */
    @Test
    void lingeringConnectionsMakeRoom() throws IOException {
        try (TightSidecar sidecar = TightSidecar.start(directory, Setup.before(backend))) {
            try (Swarm swarm = Swarm.of(sidecar.address(), 6_000, Wire.bytes("BAD\r\n\r\n"))) {
                swarm.awaitSettled();
                Await.until("refused, or gone for others", () -> {
                    Metrics metrics = sidecar.metrics();
                    return metrics.sum("remora_exchanges_finished_total")
                                    + metrics.sum("remora_memory_connections_shed_total")
                            >= 6_000;
                });
                try (RawClient early = RawClient.connectFrom("127.0.0.2", sidecar.address());
                        Swarm more = Swarm.of(sidecar.address(), 500, Wire.bytes("BAD\r\n\r\n"))) {
                    more.awaitSettled();
                    assertThat(early.send(GET).response().status()).isEqualTo(200);
                }
            }
            sidecar.assertRecovers();
        }
    }

    /** Preambles of a request that are not whole. */
    @Test
    void unfinishedHellos() throws IOException {
        String tls = new Pki(directory)
                .authority("ca")
                .issue("ca", "server", "DNS:app")
                .listener("", "server");
        // a record of 16,384 octets, with a hello that is as long
        String hello = "\u0016\u0003\u0001\u0040\u0000\u0001\u0000\u003f\u00fc\u0003\u0003" + "x".repeat(16_000);
        crowdOf(3_000, hello, tls, false);
    }

    @Test
    void unfinishedProxyHeaders() throws IOException {
        String header = "\r\n\r\n\0\r\nQUIT\n\u0021\u0011\u0010\u0000" + "x".repeat(4_000);
        crowdOf(3_000, header, "proxy-protocol: { from: [ 127.0.0.1/32 ] }", true);
    }

    @Test
    void unfinishedLinesThatAreLookedAt() throws IOException {
        String yaml = """
                admin: { address: "127.0.0.1:0" }
                log-level: info
                listeners:
                  - name: test
                    address: "127.0.0.1:0"
                    protocol: detect
                    detect: { cluster: tcp, timeout: 30s }
                    cluster: app
                clusters:
                  app: { endpoints: [ "127.0.0.1:PORT" ] }
                  tcp: { endpoints: [ "127.0.0.1:PORT" ], protocol: tcp }
                """.replace("PORT", "" + backend.port());
        crowd(TightSidecar.start(directory, yaml), 4_000, "GET /" + "x".repeat(8_000), true);
    }

    private void crowdOf(int size, String octets) throws IOException {
        crowdOf(size, octets, "", true);
    }

    /**
     * @param canary whether others send plain requests
     */
    private void crowdOf(int size, String octets, String listener, boolean canary) throws IOException {
        crowd(TightSidecar.start(directory, Setup.before(backend).listener(listener)), size, octets, canary);
    }

    private static void crowd(TightSidecar started, int size, String octets, boolean canary) {
        try (TightSidecar sidecar = started) {
            try (Swarm swarm = Swarm.of(sidecar.address(), size, Wire.bytes(octets))) {
                swarm.awaitSettled();
                sidecar.metrics();
                if (canary) {
                    sidecar.assertServes();
                }
            }
            if (canary) {
                sidecar.assertRecovers();
            } else {
                sidecar.awaitNothingHeld();
            }
        }
    }

    // ---- the operator's pages

    /** Pages of many endpoints, for readers who take nothing of them and for one who reads all. */
    @Test
    void pagesOfManyEndpoints() throws IOException {
        int endpoints = 7_000;
        StringBuilder list = new StringBuilder();
        for (int i = 0; i < endpoints; i++) {
            list.append("- 127.1.")
                    .append(i / 250)
                    .append('.')
                    .append(1 + i % 250)
                    .append(":80\n");
        }
        Path file = Files.writeString(directory.resolve("endpoints.yaml"), list);
        String yaml = """
                admin: { address: "127.0.0.1:0" }
                log-level: info
                listeners:
                  - { name: test, address: "127.0.0.1:0", cluster: many }
                clusters:
                  many: { resolver: { file: "%s" } }
                """.formatted(file);
        List<RawClient> readers = new ArrayList<>();
        try (TightSidecar sidecar = TightSidecar.start(directory, yaml)) {
            Await.until("all known", () -> sidecar.page("/clusters").contains("known=" + endpoints));
            for (int i = 0; i < 20; i++) {
                RawClient reader = sidecar.admin();
                readers.add(reader);
                reader.send("GET " + (i % 2 == 0 ? "/metrics" : "/clusters?format=json")
                        + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
                assertThat(reader.read(12)).isEqualTo(Wire.bytes("HTTP/1.1 200"));
            }
            assertThat(sidecar.metrics().labelValues("remora_backend_connects_total", "endpoint"))
                    .hasSize(endpoints);
            assertThat(sidecar.page("/clusters").lines()).hasSize(1 + endpoints);
            assertThat(sidecar.page("/config")).contains("file");
            for (RawClient reader : readers) {
                // what has waited goes on where it stood
                assertThat(Wire.text(reader.shutdownOutput().readToEnd())).endsWith("\r\n0\r\n\r\n");
            }
        } finally {
            readers.forEach(RawClient::close);
        }
    }

    /** A source that tells more endpoints than the heap has room for is not followed. */
    @Test
    void moreEndpointsThanTheHeapHasRoomFor() throws IOException {
        Path file = Files.writeString(directory.resolve("endpoints.yaml"), "- 127.0.0.1:" + backend.port() + "\n");
        String yaml = """
                admin: { address: "127.0.0.1:0" }
                log-level: info
                listeners:
                  - { name: test, address: "127.0.0.1:0", cluster: many }
                clusters:
                  many: { resolver: { file: "%s" } }
                """.formatted(file);
        try (TightSidecar sidecar = TightSidecar.start(directory, yaml)) {
            Await.until("served", () -> sidecar.canary("127.0.0.2") == 200);
            StringBuilder list = new StringBuilder();
            for (int i = 0; i < 10_000; i++) {
                list.append("- 127.1.")
                        .append(i / 250)
                        .append('.')
                        .append(1 + i % 250)
                        .append(":80\n");
            }
            Files.writeString(file, list);
            Await.until("refused", () -> sidecar.log().contains("no room for 10000 endpoints"));
            assertThat(sidecar.canary("127.0.0.2")).isEqualTo(200);
            assertThat(sidecar.page("/clusters")).contains("problem=", "\n  127.0.0.1:" + backend.port());
        }
    }

    // ---- endpoints

    @Test
    void unfinishedHeadsOfResponses() throws IOException {
        endpointThatSays("HTTP/1.1 200 OK\r\n" + LONG_LINES);
    }

    @Test
    void unfinishedHeadsOfResponsesInShortLines() throws IOException {
        endpointThatSays("HTTP/1.1 200 OK\r\n" + SHORT_LINES);
    }

    @Test
    void unfinishedTrailersOfResponses() throws IOException {
        endpointThatSays("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n" + LONG_LINES);
    }

    @Test
    void unfinishedTrailersOfResponsesInShortLines() throws IOException {
        endpointThatSays("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n" + SHORT_LINES);
    }

    @Test
    void nominatedFieldsOfResponses() throws IOException {
        String names = "a,".repeat(32_000);
        endpointThatSays("HTTP/1.1 200 OK\r\nConnection: " + names + "\r\nContent-Length: 9\r\n\r\n1");
    }

    /** Connections to endpoints that rest keep nothing of the trailers that came last. */
    @Test
    void trailersOnConnectionsAtRest() throws IOException {
        endpointThatSays(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n" + LONG_LINES + "\r\n", true);
    }

    /** Clients that do not read, and a head that alone is more than their grants are meant for. */
    @Test
    void longHeadsOfResponsesThatNobodyReads() throws IOException {
        endpointThatSays("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n" + LONG_LINES + "\r\n" + "x".repeat(100_000));
    }

    @Test
    void interimResponsesThatNobodyReads() throws IOException {
        endpointThatSays(("HTTP/1.1 103 Early Hints\r\n" + LONG_LINES + "\r\n").repeat(40));
    }

    private void endpointThatSays(String octets) throws IOException {
        endpointThatSays(octets, false);
    }

    /**
     * @param whole whether that is a whole response, behind which the connection serves again
     */
    private void endpointThatSays(String octets, boolean whole) throws IOException {
        byte[] said = Wire.bytes(octets);
        AtomicInteger asked = new AtomicInteger();
        backend.onRequest(connection -> {
            if (connection.readRequest().target().equals("/canary")) {
                connection.write(RecordingBackend.OK);
                return;
            }
            asked.incrementAndGet();
            if (whole) {
                connection.write(said);
            } else {
                say(connection, said);
            }
        });
        try (TightSidecar sidecar = TightSidecar.start(directory, Setup.before(backend))) {
            try (Swarm swarm = Swarm.of(sidecar.address(), 500, Wire.bytes(GET))) {
                swarm.awaitSettled();
                sidecar.assertServes();
                Await.until("an endpoint is asked", () -> asked.get() > 0);
                sidecar.awaitStill();
                sidecar.assertServes();
            }
            for (BackendConnection connection : backend.connections()) {
                connection.close();
            }
            sidecar.assertRecovers();
        }
    }

    private static void say(BackendConnection connection, byte[] octets) {
        try {
            connection.write(octets);
            connection.readToEnd();
        } catch (IOException cut) {
            // the sidecar has had enough
        }
    }
}
