package io.remora.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.Certificates;
import io.remora.testkit.Command;
import io.remora.testkit.Count;
import io.remora.testkit.OpensslServer;
import io.remora.testkit.RawClient;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Sidecar;
import io.remora.testkit.Wire;
import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Routes by the name in a TLS hello that is passed on: before openssl's client and servers, and with raw octets. */
final class SniIT {
    @RegisterExtension
    static final Certificates TLS = new Certificates();

    private static final String OTHERWISE = "\n      - { cluster: rest }";

    private final RecordingBackend rest = RecordingBackend.start();
    private final RecordingBackend named = RecordingBackend.start();

    @BeforeAll
    static void certificates() throws IOException {
        TLS.pki().issue("ca", "one", "DNS:one.test").issue("ca", "wild", "DNS:x.two.test");
        Files.writeString(TLS.directory().resolve("who.txt"), "HTTP/1.0 200 OK\r\n\r\nhere");
    }

    @AfterEach
    void close() {
        rest.close();
        named.close();
    }

    private static String yaml(String more, int one, int two, int rest) {
        return """
                admin: { address: "127.0.0.1:0" }
                log-level: warn
                listeners:
                  - name: test
                    address: "127.0.0.1:0"
                    protocol: tcp
                    timeouts: { header-read: 300ms }
                    routes:
                      - { match: { sni: one.test }, cluster: one }
                      - { match: { sni: "*.two.test" }, cluster: two }MORE
                  - { name: barrier, address: "127.0.0.1:0", cluster: barrier }
                clusters:
                  one: { protocol: tcp, endpoints: ["127.0.0.1:ONE"] }
                  two: { protocol: tcp, endpoints: ["127.0.0.1:TWO"] }
                  rest: { protocol: tcp, endpoints: ["127.0.0.1:REST"] }
                  barrier: { endpoints: ["127.0.0.1:${BARRIER}"] }
                """.replace("MORE", more)
                .replace("ONE", Integer.toString(one))
                .replace("TWO", Integer.toString(two))
                .replace("REST", Integer.toString(rest));
    }

    private Sidecar sidecar(String more) {
        return Sidecar.of(yaml(more, named.port(), named.port(), rest.port()));
    }

    private static Command ask(Sidecar sidecar, String name, String verified) {
        return TLS.heldOpensslClient(
                sidecar,
                "GET /who.txt HTTP/1.0\r\n\r\n",
                "-servername",
                name,
                "-verify_hostname",
                verified,
                "-verify_return_error",
                "-ign_eof");
    }

    /** The client sees the certificate of the server that it asked for: nobody has ended its TLS on the way. */
    @ParameterizedTest
    @CsvSource({
        "one.test, one.test",
        "ONE.test, one.test",
        "One.test., one.test",
        "x.two.test, x.two.test",
        "x.two.test., x.two.test"
    })
    void leadsToTheServerOfThatName(String name, String verified) {
        try (OpensslServer one = TLS.opensslServer("one");
                OpensslServer two = TLS.opensslServer("wild");
                Sidecar sidecar = Sidecar.of(yaml("", one.port(), two.port(), rest.port()))) {
            assertThat(ask(sidecar, name, verified).good()).contains("Verify return code: 0 (ok)", "here");
        }
    }

    /** The certificate is for another name: the check above can fail. */
    @Test
    void doesNotHideWhoTheServerIs() {
        try (OpensslServer one = TLS.opensslServer("one");
                Sidecar sidecar = Sidecar.of(yaml("", one.port(), one.port(), rest.port()))) {
            assertThat(ask(sidecar, "x.two.test", "x.two.test").status()).isNotZero();
        }
    }

    /** Whatever was read to find the route is the first that the server gets, octet for octet. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void passesOnTheHelloAsItCame(boolean octetByOctet) throws Exception {
        byte[] hello = ClientHelloTest.hello("one.test");
        named.onRequest(connection -> {
            byte[] got = connection.input().readNBytes(hello.length);
            connection.write(got);
            connection.readToEnd();
        });
        try (Sidecar sidecar = sidecar("");
                RawClient client = sidecar.client()) {
            if (octetByOctet) {
                client.sendOctetByOctet(hello);
            } else {
                client.send(hello);
            }
            assertThat(client.read(hello.length)).isEqualTo(hello);
            client.send("and more");
            Await.until("passed on", () -> named.received().length == hello.length + 8);
            assertThat(Wire.text(named.received())).endsWith("and more");
        }
    }

    /** In two pieces, cut at each place. */
    @Test
    void findsTheNameWhereverTheHelloIsCut() throws Exception {
        byte[] hello = ClientHelloTest.hello("one.test");
        named.onRequest(connection -> {
            connection.input().readNBytes(hello.length);
            connection.write("k");
            connection.readToEnd();
        });
        try (Sidecar sidecar = sidecar("")) {
            for (int at = 1; at < hello.length; at += 7) {
                try (RawClient client = sidecar.client()) {
                    client.sendSplit(hello, at, sidecar::barrier);
                    assertThat(client.read(1)).containsExactly('k');
                }
            }
        }
        assertThat(rest.connections()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET / HTTP/1.1\r\n\r\n", "x", "\u0016\u0003\u0001\u0000\u0000"})
    void leadsEverythingElseToTheRouteWithoutAName(String octets) throws IOException {
        rest.onRequest(connection -> {
            connection.write("rest");
            connection.readToEnd();
        });
        try (Sidecar sidecar = sidecar(OTHERWISE);
                RawClient client = sidecar.client()) {
            assertThat(Wire.text(client.send(octets).read(4))).isEqualTo("rest");
            assertThat(Wire.text(rest.received())).isEqualTo(octets);
        }
    }

    @Test
    void leadsAnotherNameToTheRouteWithoutOne() throws Exception {
        rest.onRequest(connection -> {
            connection.write("rest");
            connection.readToEnd();
        });
        try (Sidecar sidecar = sidecar(OTHERWISE);
                RawClient client = sidecar.client()) {
            assertThat(Wire.text(client.send(ClientHelloTest.hello("two.test")).read(4)))
                    .isEqualTo("rest");
        }
    }

    /** A client that waits for the server to speak first is waited for until the time for a hello is over. */
    @Test
    void leadsWhoSaysNothingToTheRouteWithoutAName() throws IOException {
        rest.onAccept(connection -> connection.write("220 ready"));
        try (Sidecar sidecar = sidecar(OTHERWISE);
                RawClient client = sidecar.client()) {
            assertThat(Wire.text(client.read(9))).isEqualTo("220 ready");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "plain", "\u0016\u0003\u0001\u0001"})
    void closesWhereThereIsNoSuchRoute(String octets) throws IOException {
        try (Sidecar sidecar = sidecar("")) {
            try (RawClient client = sidecar.client()) {
                assertThat(client.send(octets).closedByPeer()).isTrue();
            }
            Await.until("ended", () -> sidecar.count(Count.EXCHANGES_FINISHED) == 1);
            assertThat(sidecar.metrics().sum("remora_failures_total", "failure", "no-route"))
                    .isOne();
        }
    }

    /** A hello that never ends is not kept beyond its bound. */
    @Test
    void keepsNoMoreThanABoundOfAHello() throws IOException {
        byte[] endless = new byte[40 << 10];
        byte[] begin = {22, 3, 1, 0x40, 0, 1, 0, 0x3f, (byte) 0xf0};
        System.arraycopy(begin, 0, endless, 0, begin.length);
        for (int at = 5 + 0x4000; at + 6 < endless.length; at += 6) {
            System.arraycopy(new byte[] {22, 3, 1, 0, 1, 0}, 0, endless, at, 6);
        }
        try (Sidecar sidecar = sidecar("");
                RawClient client = sidecar.client()) {
            client.trySend(endless);
            assertThat(client.closedByPeer()).isTrue();
            Await.until("ended", () -> sidecar.count(Count.EXCHANGES_FINISHED) == 1);
            assertThat(sidecar.metrics().sum("remora_memory_heads_bytes")).isZero();
        }
    }

    @Test
    void endsBeforeItsHelloIsWhole() throws Exception {
        byte[] hello = ClientHelloTest.hello("one.test");
        try (Sidecar sidecar = sidecar("")) {
            RawClient reset = sidecar.client().send(Wire.text(hello).substring(0, 40));
            sidecar.barrier();
            reset.reset();
            RawClient ended = sidecar.client().send(Wire.text(hello).substring(0, 40));
            assertThat(ended.shutdownOutput().closedByPeer()).isTrue();
            ended.close();
            Await.until("closed", () -> sidecar.count(Count.CONNECTIONS_ACTIVE) == 0);
        }
    }
}
