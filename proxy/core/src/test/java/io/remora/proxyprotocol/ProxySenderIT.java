package io.remora.proxyprotocol;

import static io.remora.testkit.Stand.GET;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.remora.testkit.Await;
import io.remora.testkit.BackendConnection;
import io.remora.testkit.Contract;
import io.remora.testkit.HaProxyPeer;
import io.remora.testkit.Nginx;
import io.remora.testkit.PeerProgram;
import io.remora.testkit.PeerServer;
import io.remora.testkit.RawClient;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Setup;
import io.remora.testkit.Stand;
import io.remora.testkit.Wire;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Headers of the PROXY protocol at the front of connections to endpoints. */
@Contract
final class ProxySenderIT {
    private static final String V1 = "proxy-protocol: v1\n";
    private static final String V2 = "proxy-protocol: v2\n";
    private static final String SIGNATURE = "\r\n\r\n\0\r\nQUIT\n";
    private static final int V2_OCTETS = 28;

    @RegisterExtension
    final Stand stand = new Stand();

    /** Reads the line, so that what follows is a request. */
    private static void takeLine(BackendConnection connection) throws IOException {
        int octet = connection.input().read();
        while (octet >= 0 && octet != '\n') {
            octet = connection.input().read();
        }
    }

    private void startV1(String listener) {
        stand.backend.onAccept(ProxySenderIT::takeLine);
        stand.start(listener, V1);
    }

    private RawClient from(String address) {
        return RawClient.connectFrom(address, stand.sidecar().address());
    }

    private static void get(RawClient client) throws IOException {
        assertThat(client.send(GET).response().status()).isEqualTo(200);
    }

    /** What the connections began with, one line each. */
    private String firstLine(int connection) {
        String all = Wire.text(stand.backend.connections().get(connection).received());
        return all.substring(0, all.indexOf('\n') + 1);
    }

    private String line(String client) {
        return "PROXY TCP4 " + client + " 127.0.0.1 0 " + stand.backend.port() + "\r\n";
    }

    // ---- what they say

    @Test
    void ofVersion1AreALine() throws IOException {
        startV1("");
        try (RawClient client = from("127.0.0.2")) {
            get(client);
            get(client);
            assertThat(firstLine(0)).isEqualTo(line("127.0.0.2"));
            assertThat(stand.backend.connections())
                    .as("the second request goes the same way")
                    .hasSize(1);
        }
    }

    @Test
    void ofVersion2HaveAddressesInOctets() throws IOException {
        stand.backend.onAccept(connection -> connection.input().readNBytes(V2_OCTETS));
        stand.start("", V2);
        try (RawClient client = from("127.0.0.2")) {
            get(client);
            int port = stand.backend.port();
            String expected = SIGNATURE + "\u0021\u0011\0\u000c" + "\u007f\0\0\u0002" + "\u007f\0\0\u0001" + "\0\0"
                    + (char) (port >> 8) + (char) (port & 0xff);
            assertThat(Wire.text(stand.backend.received())).startsWith(expected);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "203.0.113.7 | PROXY TCP4 203.0.113.7 127.0.0.1 0 PORT",
                "2001:db8::7 | PROXY TCP6 2001:db8:0:0:0:0:0:7 0:0:0:0:0:ffff:7f00:1 0 PORT",
            })
    void tellOfWhomIsBelieved(String client, String expected) throws IOException {
        startV1("trust: { cidrs: [127.0.0.0/8] }");
        RawClient peer = stand.client();
        peer.send("GET / HTTP/1.1\r\nHost: app\r\nX-Forwarded-For: " + client + "\r\n\r\n");
        assertThat(peer.response().status()).isEqualTo(200);
        assertThat(firstLine(0)).isEqualTo(expected.replace("PORT", stand.backend.port() + "\r\n"));
    }

    @Test
    void tellNothingOfWhoIsNotBelieved() throws IOException {
        startV1("");
        RawClient peer = stand.client();
        peer.send("GET / HTTP/1.1\r\nHost: app\r\nX-Forwarded-For: 203.0.113.7\r\n\r\n");
        assertThat(peer.response().status()).isEqualTo(200);
        assertThat(firstLine(0)).isEqualTo(line("127.0.0.1"));
    }

    // ---- whose connections they are

    @Test
    void keepTheirConnectionsFromOtherClients() throws IOException {
        startV1("");
        try (RawClient one = from("127.0.0.2");
                RawClient other = from("127.0.0.3")) {
            get(one);
            get(other);
            get(one);
            get(other);
        }
        assertThat(stand.backend.connections()).hasSize(2);
        assertThat(firstLine(0)).isEqualTo(line("127.0.0.2"));
        assertThat(firstLine(1)).isEqualTo(line("127.0.0.3"));
        for (BackendConnection connection : stand.backend.connections()) {
            assertThat(Wire.text(connection.received()).split("GET / ", -1)).hasSize(3);
        }
    }

    /** A connection that is free again serves no other client that came while all were busy. */
    @Test
    void holdWhereAllConnectionsAreInUse() throws IOException {
        stand.backend.onAccept(ProxySenderIT::takeLine);
        stand.start("", V1 + "max-connections: 1\n");
        CountDownLatch answer = new CountDownLatch(1);
        stand.backend.onRequest(connection -> {
            connection.readRequest();
            connection.waitFor(() -> Stand.await(answer));
            connection.write(RecordingBackend.OK);
        });
        try (RawClient one = from("127.0.0.2");
                RawClient other = from("127.0.0.3")) {
            one.send(GET);
            Await.until("the first is there", () -> Wire.text(stand.backend.received())
                    .endsWith("\r\n\r\n"));
            assertThat(other.send(GET).response().status()).isEqualTo(503);
            answer.countDown();
            assertThat(one.response().status()).isEqualTo(200);
            // the idle one makes room
            get(other);
        }
        assertThat(firstLine(1)).isEqualTo(line("127.0.0.3"));
    }

    @Test
    void tellOfEachTunnel() throws IOException {
        stand.backend.onAccept(connection -> {
            takeLine(connection);
            connection.write("ready");
        });
        stand.start("protocol: tcp\n", "protocol: tcp\n" + V1);
        try (RawClient client = from("127.0.0.2")) {
            assertThat(Wire.text(client.read(5))).isEqualTo("ready");
            client.send("hello").shutdownOutput();
            Await.until("all of it", () -> Wire.text(stand.backend.received()).equals(line("127.0.0.2") + "hello"));
        }
    }

    @Test
    void sayUnknownOfTheSidecarsOwnChecks() {
        stand.backend.onAccept(ProxySenderIT::takeLine);
        stand.start("", V1 + "health-check: { path: /health, interval: 200ms, timeout: 100ms }\n");
        Await.until("a check", () -> Wire.text(stand.backend.received()).contains("GET /health "));
        assertThat(firstLine(0)).isEqualTo("PROXY UNKNOWN\r\n");
    }

    @Test
    void sayLocalOfTheSidecarsOwnChecks() {
        stand.backend.onAccept(connection -> connection.input().readNBytes(16));
        stand.start("", V2 + "health-check: { path: /health, interval: 200ms, timeout: 100ms }\n");
        Await.until("a check", () -> Wire.text(stand.backend.received()).contains("GET /health "));
        assertThat(Wire.text(stand.backend.received())).startsWith(SIGNATURE + "\u0020\0\0\0" + "GET /health ");
    }

    // ---- somebody else's

    private void served(int port, String cluster, String expected) throws IOException {
        stand.start(Setup.at(port).cluster(cluster));
        try (RawClient client = from("127.0.0.2");
                RawClient other = from("127.0.0.3")) {
            for (int i = 0; i < 2; i++) {
                assertThat(Wire.text(client.send(GET).response().body())).isEqualTo("127.0.0.2" + expected);
                assertThat(Wire.text(other.send(GET).response().body())).isEqualTo("127.0.0.3" + expected);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {V1, V2})
    void areTakenByHaProxy(String version, @TempDir Path directory) throws IOException {
        assumeTrue(PeerProgram.HAPROXY.missing().isEmpty(), PeerProgram.HAPROXY.missing());
        try (PeerServer behind = HaProxyPeer.behind(directory, "accept-proxy")) {
            served(behind.port(), version, " 127.0.0.1 " + behind.port());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {V1, V2})
    void areTakenByHaProxyBeforeHttp2(String version, @TempDir Path directory) throws IOException {
        assumeTrue(PeerProgram.HAPROXY.missing().isEmpty(), PeerProgram.HAPROXY.missing());
        try (PeerServer behind = HaProxyPeer.behind(directory, "accept-proxy proto h2")) {
            served(behind.port(), version + "protocol: http2\n", " 127.0.0.1 " + behind.port());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {V1, V2})
    void areTakenByNginx(String version, @TempDir Path directory) throws IOException {
        assumeTrue(Files.isExecutable(Path.of("/usr/sbin/nginx")), "no nginx");
        Nginx nginx = new Nginx(directory);
        int http1 = nginx.plain("proxy_protocol", "$proxy_protocol_addr $proxy_protocol_server_addr");
        try (Nginx started = nginx.start()) {
            served(http1, version, " 127.0.0.1");
            // its log is written behind the responses
            Await.until("four in the log", () -> started.served(http1) == 4);
        }
    }

    @Test
    void areTakenByNginxFromTunnels(@TempDir Path directory) throws IOException {
        assumeTrue(Files.isExecutable(Path.of("/usr/sbin/nginx")), "no nginx");
        Nginx nginx = new Nginx(directory);
        int port = nginx.plain("proxy_protocol", "$proxy_protocol_addr");
        try (Nginx started = nginx.start()) {
            for (String version : List.of(V1, V2)) {
                stand.start(Setup.at(port).listener("protocol: tcp\n").cluster("protocol: tcp\n" + version));
                try (RawClient client = from("127.0.0.2")) {
                    assertThat(Wire.text(client.send(GET).response().body())).isEqualTo("127.0.0.2");
                }
                if (version.equals(V1)) {
                    stand.sidecar().close();
                }
            }
            Await.until("two in the log", () -> started.served(port) == 2);
        }
    }
}
