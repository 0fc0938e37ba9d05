package io.remora.detect;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.BackendConnection;
import io.remora.testkit.Certificates;
import io.remora.testkit.Command;
import io.remora.testkit.Count;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Sidecar;
import io.remora.testkit.Wire;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Listeners that find out what their clients speak: requests go to one backend, and connections that carry none to another. */
final class DetectIT {
    @RegisterExtension
    static final Certificates TLS = new Certificates();

    private static final String GET = "GET / HTTP/1.1\r\nHost: app\r\n\r\n";
    private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    /** SETTINGS without any, and the same request in HEADERS on stream 1. */
    private static final String FRAMES = "\0\0\0\4\0\0\0\0\0" + "\0\0\10\1\5\0\0\0\1\u0082\u0084\u0086\u0041\3app";
    /** Longer than any test takes. */
    private static final String LONG = "timeout: 1h";

    private static final String SHORT = "timeout: 200ms";

    private static final String BELIEVED = "proxy-protocol: { from: [127.0.0.1] }";
    private static final String PROXY = "PROXY TCP4 203.0.113.7 192.0.2.1 51234 8080\r\n";

    private final RecordingBackend requests = RecordingBackend.start();
    private final RecordingBackend tunnels = RecordingBackend.start().onRequest(DetectIT::echo);
    private final List<RawClient> clients = new ArrayList<>();

    private void leave() {
        clients.forEach(RawClient::close);
    }

    @AfterEach
    void close() {
        leave();
        requests.close();
        tunnels.close();
    }

    private static void echo(BackendConnection connection) throws IOException {
        InputStream in = connection.input();
        byte[] some = new byte[1 << 16];
        for (int count = in.read(some); count > 0; count = in.read(some)) {
            connection.write(Arrays.copyOf(some, count));
        }
        connection.shutdownOutput();
    }

    private Sidecar sidecar(String detect, String listener) {
        String yaml = """
                admin: { address: "127.0.0.1:0" }
                log-level: warn
                drain-idle: 200ms
                listeners:
                  - name: test
                    address: "127.0.0.1:0"
                    protocol: detect
                    detect: { cluster: other, DETECT }
                    cluster: app
                LISTENER
                  - { name: barrier, address: "127.0.0.1:0", cluster: barrier }
                clusters:
                  app: { endpoints: ["127.0.0.1:${BACKEND}"] }
                  other: { protocol: tcp, endpoints: ["127.0.0.1:${BACKEND_1}"] }
                  barrier: { endpoints: ["127.0.0.1:${BARRIER}"] }
                """;
        yaml = yaml.replace("DETECT", detect).replace("LISTENER\n", listener.isEmpty() ? "" : listener.indent(4));
        return Sidecar.of(yaml, requests, tunnels);
    }

    private RawClient client(Sidecar sidecar) {
        RawClient client = sidecar.client();
        clients.add(client);
        return client;
    }

    private static RawClient send(RawClient client, String octets, boolean octetByOctet) throws IOException {
        byte[] bytes = Wire.bytes(octets);
        return octetByOctet ? client.sendOctetByOctet(bytes) : client.send(bytes);
    }

    /** How many connections turned out to be that, as the metrics tell. */
    private static long found(Sidecar sidecar, String result) {
        return sidecar.metrics().sum("remora_detect_connections_total", "result", result);
    }

    private static long undecided(Sidecar sidecar) {
        return sidecar.metrics().sum("remora_detect_undecided", "listener", "test");
    }

    private static long failures(Sidecar sidecar, String failure) {
        return sidecar.metrics().sum("remora_failures_total", "failure", failure);
    }

    private void nothingTunnelled() {
        assertThat(tunnels.connections()).isEmpty();
    }

    private void nothingRequested() {
        assertThat(requests.connections()).isEmpty();
    }

    // ---- each kind

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void takesRequestsOfHttp1(boolean octetByOctet) throws IOException {
        try (Sidecar sidecar = sidecar(LONG, "")) {
            RawClient client = client(sidecar);
            for (int i = 0; i < 2; i++) {
                RawResponse response = send(client, "\r\n" + GET, octetByOctet).response();
                assertThat(response.bodyText()).isEqualTo("ok");
            }
            assertThat(requests.requests()).hasSize(2);
            nothingTunnelled();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void takesRequestsOfHttp2(boolean octetByOctet) throws IOException {
        try (Sidecar sidecar = sidecar(LONG, "")) {
            RawClient client = client(sidecar);
            send(client, PREFACE + FRAMES, octetByOctet);
            StringBuilder all = new StringBuilder();
            while (all.indexOf("ok") < 0) {
                all.append(Wire.text(client.read(1)));
            }
            assertThat(requests.requests()).hasSize(1);
            nothingTunnelled();
        }
    }

    @ParameterizedTest
    @CsvSource({"false, 0", "false, 1", "false, 2", "false, 3", "true, 0", "true, 1", "true, 2", "true, 3"})
    void passesOnWhatIsNoRequest(boolean octetByOctet, int which) throws IOException {
        String[] kinds = {"\26\3\1\0\5hello", "G\0binary", "GET key\r\n", "\0\0\0\10\4\322\26/"};
        try (Sidecar sidecar = sidecar(LONG, "")) {
            RawClient client = client(sidecar);
            send(client, kinds[which], octetByOctet);
            assertThat(Wire.text(client.read(kinds[which].length()))).isEqualTo(kinds[which]);
            client.send("more").shutdownOutput();
            assertThat(Wire.text(client.readToEnd())).isEqualTo("more");
            assertThat(Wire.text(tunnels.received())).isEqualTo(kinds[which] + "more");
            nothingRequested();
        }
    }

    /** A request on a connection that was passed on is not looked at any more. */
    @Test
    void judgesTheBeginningOnly() throws IOException {
        try (Sidecar sidecar = sidecar(LONG, "")) {
            RawClient client = client(sidecar);
            client.send("\0" + GET).shutdownOutput();
            assertThat(Wire.text(client.readToEnd())).isEqualTo("\0" + GET);
            nothingRequested();
        }
    }

    // ---- silence

    @Test
    void bringsWhatTheServerSaysFirst() throws IOException {
        tunnels.onAccept(connection -> connection.write("220 ready\r\n"));
        try (Sidecar sidecar = sidecar(SHORT, "")) {
            RawClient client = client(sidecar);
            assertThat(Wire.text(client.read(11))).isEqualTo("220 ready\r\n");
            assertThat(Wire.text(client.send("EHLO a\r\n").read(8))).isEqualTo("EHLO a\r\n");
            client.shutdownOutput();
            assertThat(client.closedByPeer()).isTrue();
            nothingRequested();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"G", "GET / HTTP/1.", "\r\n", "PRI * HTTP"})
    void passesOnWhoDoesNotFinishALine(String begun) throws IOException {
        try (Sidecar sidecar = sidecar(SHORT, "")) {
            RawClient client = client(sidecar);
            assertThat(Wire.text(client.send(begun).read(begun.length()))).isEqualTo(begun);
            client.shutdownOutput();
            assertThat(client.closedByPeer()).isTrue();
            nothingRequested();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "G", "GET / HTTP/1.1"})
    void passesOnWhoEndsBeforeThat(String begun) throws IOException {
        try (Sidecar sidecar = sidecar(LONG, "")) {
            RawClient client = client(sidecar);
            client.send(begun).shutdownOutput();
            assertThat(Wire.text(client.readToEnd())).isEqualTo(begun);
            Await.until("all of it", () -> Wire.text(tunnels.received()).equals(begun));
            nothingRequested();
        }
    }

    @Test
    void countsWhoGoesBeforeThat() throws IOException {
        try (Sidecar sidecar = sidecar(LONG, "")) {
            RawClient client = client(sidecar);
            client.send("GET /");
            sidecar.barrier();
            client.reset();
            // beside the one of the barrier
            Await.until("closed", () -> sidecar.closedConnections() == 1);
            assertThat(sidecar.count(Count.CONNECTIONS_ACCEPTED)).isEqualTo(1);
            nothingRequested();
            nothingTunnelled();
        }
    }

    // ---- what is counted

    private static final String[][] KINDS = {
        {"http1", GET},
        {"http2", PREFACE},
        {"tls", "\26\3\1\0\5hello"},
        {"tcp", "GET key\r\n"},
        {"tcp", "\0"},
        {"silent", ""},
        {"unfinished", "GET /"},
        {"http1", "\r\nPRI * HTTP/2.0\r\n"},
        {"http1", "GET / HTTP/2.0\r\n"},
    };

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8})
    void countsWhatItWas(int kind) throws IOException {
        String result = KINDS[kind][0];
        String octets = KINDS[kind][1];
        boolean late = result.equals("silent") || result.equals("unfinished");
        try (Sidecar sidecar = sidecar(late ? SHORT : LONG, "")) {
            client(sidecar).send(octets);
            Await.until("counted", () -> found(sidecar, result) == 1);
            assertThat(sidecar.metrics().sum("remora_detect_connections_total", "listener", "test"))
                    .isEqualTo(1);
            assertThat(undecided(sidecar)).isZero();
            assertThat(sidecar.count(Count.CONNECTIONS_ACCEPTED)).isEqualTo(1);
            leave();
        }
    }

    @Test
    void countsThoseThatAreNotKnownYet() throws IOException {
        try (Sidecar sidecar = sidecar(LONG, "")) {
            RawClient silent = client(sidecar);
            RawClient half = client(sidecar).send("GET /");
            Await.until("open", () -> sidecar.count(Count.CONNECTIONS_ACTIVE) == 2);
            assertThat(undecided(sidecar)).isEqualTo(2);
            half.send(" HTTP/1.1\r\nHost: app\r\n\r\n");
            assertThat(half.response().status()).isEqualTo(200);
            assertThat(undecided(sidecar)).isEqualTo(1);
            assertThat(sidecar.count(Count.CONNECTIONS_ACTIVE)).isEqualTo(2);
            silent.shutdownOutput();
            assertThat(silent.closedByPeer()).isTrue();
            assertThat(found(sidecar, "ended")).isEqualTo(1);
            assertThat(sidecar.count(Count.CONNECTIONS_ACCEPTED)).isEqualTo(2);
        }
    }

    // ---- behind a proxy that says whom a connection comes from

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void looksBehindAHeaderOfTheProxyProtocol(boolean octetByOctet) throws IOException {
        try (Sidecar sidecar = sidecar(LONG, BELIEVED)) {
            RawClient request = client(sidecar);
            assertThat(send(request, PROXY + GET, octetByOctet).response().status())
                    .isEqualTo(200);
            assertThat(requests.requests().get(0).field("X-Forwarded-For")).contains("203.0.113.7");
            nothingTunnelled();
            RawClient other = client(sidecar);
            assertThat(Wire.text(send(other, PROXY + "G\0", octetByOctet).read(2)))
                    .isEqualTo("G\0");
            assertThat(requests.connections()).hasSize(1);
            assertThat(found(sidecar, "http1") + found(sidecar, "tcp")).isEqualTo(2);
            leave();
        }
    }

    /** The time begins with the header's end, and the end of what the client sends is none of the header's. */
    @Test
    void passesOnWhoSaysNothingBehindSuchAHeader() throws IOException {
        tunnels.onAccept(connection -> connection.write("220 ready\r\n"));
        try (Sidecar sidecar = sidecar(SHORT, BELIEVED)) {
            assertThat(Wire.text(client(sidecar).send(PROXY).read(11))).isEqualTo("220 ready\r\n");
            RawClient ended = client(sidecar).send(PROXY).shutdownOutput();
            assertThat(Wire.text(ended.readToEnd())).isEqualTo("220 ready\r\n");
            nothingRequested();
            leave();
        }
    }

    // ---- hostile beginnings

    /** What looks like a request is judged as one, and does not get past the routes by being a bad one. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n",
                "PRI * HTTP/2.0\r\nHost: a\r\n\r\n",
                "GET / HTTP/9.9\r\nHost: a\r\n\r\n",
                "GET  / HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET / HTTP/1.1 more\r\nHost: a\r\n\r\n",
                "GET / HTTP/1.1\r\n\r\n"
            })
    void answersARequestThatIsBroken(String octets) throws IOException {
        try (Sidecar sidecar = sidecar(LONG, "")) {
            assertThat(client(sidecar).send(octets).response().status()).isBetween(400, 505);
            nothingRequested();
            nothingTunnelled();
        }
    }

    /** The preface that breaks behind the line that looks like a request's, in the middle of what is left of it. */
    @Test
    void holdsNobodyInThePrefaceForEver() throws IOException {
        try (Sidecar sidecar = sidecar(SHORT, "timeouts: { header-read: 200ms }")) {
            RawClient client = client(sidecar);
            client.send("PRI * HTTP/2.0\r\n\r\nSM");
            assertThat(client.closedByPeer()).isTrue();
            assertThat(failures(sidecar, "header-timeout")).isEqualTo(1);
            assertThat(sidecar.count(Count.CONNECTIONS_ACCEPTED)).isEqualTo(1);
            Await.until("closed", () -> sidecar.count(Count.CONNECTIONS_ACTIVE) == 0);
            nothingTunnelled();
        }
    }

    @Test
    void keepsNoMoreThanARequestLine() throws IOException {
        try (Sidecar sidecar = sidecar(LONG, "limits: { request-line: 1KiB }")) {
            RawClient client = client(sidecar);
            client.sendOctetByOctet(Wire.bytes("GET /" + "a".repeat(1019)));
            client.send("a".repeat(5000) + " HTTP/1.1\r\n\r\n");
            assertThat(client.response().status()).isEqualTo(414);
            nothingTunnelled();
        }
    }

    // ---- drain, and a new configuration

    @Test
    void endsAtADrainWhatHasNotBegun() throws IOException {
        try (Sidecar sidecar = sidecar(LONG, "")) {
            RawClient silent = client(sidecar);
            RawClient half = client(sidecar).send("GET /");
            RawClient tunnel = client(sidecar).send("\0");
            assertThat(tunnel.read(1)).containsExactly(0);
            sidecar.drain();
            assertThat(silent.closedByPeer()).isTrue();
            assertThat(half.closedByPeer()).isTrue();
            // counted in the turn after the close
            Await.until("lost", () -> found(sidecar, "lost") == 2);
            assertThat(Wire.text(tunnel.send("on").read(2))).isEqualTo("on");
            tunnel.shutdownOutput();
            assertThat(tunnel.closedByPeer()).isTrue();
            sidecar.awaitDrained();
        }
    }

    @Test
    void showsWhatHolds() throws IOException {
        try (Sidecar sidecar = sidecar(LONG, "")) {
            assertThat(sidecar.admin("GET", "/config").bodyText())
                    .contains("protocol: detect", "detect:", "cluster: other", "timeout: 1h");
        }
    }

    // ---- TLS

    /** What is in it is found out in the same way where no protocol was agreed on, and by ALPN where one was. */
    @Test
    void looksIntoTlsThatTheListenerEnds() {
        try (Sidecar sidecar = sidecar(LONG, TLS.pki().listener("", "server"))) {
            Command http1 = TLS.heldOpensslClient(
                    sidecar, GET.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"), "-ign_eof");
            assertThat(http1.output()).contains("HTTP/1.1 200");
            assertThat(TLS.curl(sidecar, "localhost", "/", "--http2", "-w", "%{http_version}")
                            .good())
                    .endsWith("ok2");
            nothingTunnelled();
            tunnels.onRequest(connection -> {
                connection.input().readNBytes(9);
                connection.write("and you");
                connection.shutdownOutput();
                connection.readToEnd();
            });
            Command other = TLS.heldOpensslClient(sidecar, "GET key\r\n", "-ign_eof");
            assertThat(other.output()).contains("and you");
            assertThat(requests.requests()).hasSize(2);
        }
    }
}
