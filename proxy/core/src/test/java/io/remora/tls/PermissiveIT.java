package io.remora.tls;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.remora.testkit.Await;
import io.remora.testkit.Command;
import io.remora.testkit.Count;
import io.remora.testkit.EveryEngine;
import io.remora.testkit.Pki;
import io.remora.testkit.RawClient;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Setup;
import io.remora.testkit.Sidecar;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Plain HTTP beside TLS on one port. */
@EveryEngine
final class PermissiveIT {
    private static final String GET = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
    private static final String PROXY_HEADER = "PROXY TCP4 203.0.113.7 192.0.2.1 51234 8080\r\n";
    private static final String URI = "spiffe://mesh/ns/a/sa/b";

    @TempDir
    static Path directory;

    private static Pki pki;

    private final RecordingBackend backend = RecordingBackend.start().replyOk();

    @BeforeAll
    static void certificates() {
        pki = new Pki(directory)
                .authority("ca")
                .issue("ca", "server", "DNS:localhost")
                .issue("ca", "client", "URI:" + URI);
    }

    @AfterEach
    void close() {
        backend.close();
    }

    private Sidecar sidecar(String tls, String listener) {
        String mode = "mode: permissive" + (tls.isEmpty() ? "" : ", " + tls);
        return Sidecar.start(Setup.before(backend).listener(pki.listener(mode, "server") + "\n" + listener));
    }

    private static Command curl(Sidecar sidecar, String... options) {
        List<String> command = new ArrayList<>(List.of("curl", "--silent", "--show-error", "--http1.1"));
        command.addAll(List.of("--cacert", "ca.crt"));
        command.addAll(List.of(options));
        command.add("https://localhost:" + sidecar.address().getPort() + "/");
        return Command.run(directory, command.toArray(new String[0]));
    }

    private static long metric(Sidecar sidecar, String name) {
        return sidecar.metrics().sum("remora_tls_" + name, "side", "listener", "name", "test");
    }

    private static long failures(Sidecar sidecar, String reason) {
        return sidecar.metrics().sum("remora_tls_handshake_failures_total", "reason", reason);
    }

    // ---- which it is

    @Test
    void servesBothAndTellsWhichItWas() throws IOException {
        try (Sidecar sidecar = sidecar("", "")) {
            try (RawClient plain = sidecar.client()) {
                assertThat(plain.send(GET).response().bodyText()).isEqualTo("ok");
                assertThat(plain.send(GET).response().bodyText()).isEqualTo("ok");
                assertThat(metric(sidecar, "plain_connections_active")).isOne();
            }
            assertThat(curl(sidecar).good()).isEqualTo("ok");
            assertThat(backend.requests())
                    .extracting(request -> request.field("X-Forwarded-Proto"))
                    .containsExactly("http", "http", "https");
            assertThat(metric(sidecar, "plain_connections_total")).isOne();
            assertThat(metric(sidecar, "handshakes_total")).isOne();
            Await.until("closed", () -> metric(sidecar, "plain_connections_active") == 0);
            assertThat(sidecar.metrics().sum("remora_tls_handshake_failures_total"))
                    .isZero();
        }
    }

    @Test
    void servesAPlainClientOctetByOctet() throws IOException {
        try (Sidecar sidecar = sidecar("", "");
                RawClient plain = sidecar.client()) {
            for (byte octet : GET.getBytes(ISO_8859_1)) {
                plain.send(new byte[] {octet});
                sidecar.barrier();
            }
            assertThat(plain.response().bodyText()).isEqualTo("ok");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, Integer.MAX_VALUE})
    void servesATlsClientWhateverComesAtOnce(int chunk) throws IOException {
        try (Sidecar sidecar = sidecar("", "")) {
            getOverTls(sidecar, "", chunk);
            assertThat(metric(sidecar, "plain_connections_total")).isZero();
        }
    }

    /** Its last octets may come with the first ones of the handshake. */
    @ParameterizedTest
    @CsvSource({
        "strict, 44",
        "strict, 45",
        "strict, 46",
        "strict, 1000000",
        "permissive, 1",
        "permissive, 44",
        "permissive, 45",
        "permissive, 46",
        "permissive, 1000000"
    })
    void aProxyHeaderComesBeforeTheHandshake(String mode, int chunk) throws IOException {
        assertThat(PROXY_HEADER).hasSize(45);
        Setup setup = Setup.before(backend)
                .listener(pki.listener("mode: " + mode, "server") + "\nproxy-protocol: { from: [127.0.0.1] }");
        try (Sidecar sidecar = Sidecar.start(setup)) {
            getOverTls(sidecar, PROXY_HEADER, chunk);
            assertThat(backend.requests()).singleElement().satisfies(request -> {
                assertThat(request.field("X-Forwarded-Proto")).isEqualTo("https");
                assertThat(request.field("X-Forwarded-For")).isEqualTo("203.0.113.7");
            });
            assertThat(metric(sidecar, "handshakes_total")).isOne();
            assertThat(sidecar.metrics().sum("remora_proxy_headers_total", "outcome", "taken"))
                    .isOne();
        }
    }

    @Test
    void aProxyHeaderComesBeforePlainHttp() throws IOException {
        try (Sidecar sidecar = sidecar("", "proxy-protocol: { from: [127.0.0.1] }")) {
            for (int at : new int[] {1, 44, 45, 46, 60}) {
                try (RawClient plain = sidecar.client()) {
                    plain.sendSplit((PROXY_HEADER + GET).getBytes(ISO_8859_1), at, sidecar::barrier);
                    assertThat(plain.response().bodyText()).isEqualTo("ok");
                }
            }
            assertThat(backend.requests()).hasSize(5).allSatisfy(request -> {
                assertThat(request.field("X-Forwarded-Proto")).isEqualTo("http");
                assertThat(request.field("X-Forwarded-For")).isEqualTo("203.0.113.7");
            });
            assertThat(metric(sidecar, "plain_connections_total")).isEqualTo(5);
            try (RawClient without = sidecar.client()) {
                assertThat(without.send(GET).closedByPeer()).isTrue();
            }
            assertThat(backend.requests()).hasSize(5);
        }
    }

    /**
     * One request.
     *
     * @param header what comes before the handshake, in one stream of octets with it
     * @param chunk octets at once, at the beginning
     */
    private static void getOverTls(Sidecar sidecar, String header, int chunk) throws IOException {
        TlsContext context = new JdkProvider()
                .client(new ClientSettings(
                        CertificateFile.read(pki.path("ca.crt").toString()),
                        "localhost",
                        new PeerNames(List.of("localhost"), List.of()),
                        null,
                        new TlsParameters(
                                List.of("TLSv1.3"),
                                new JdkProvider().cipherSuites(),
                                List.of("x25519", "secp256r1", "secp384r1"),
                                List.of())));
        TlsSession session = context.newSession();
        try (RawClient client = sidecar.client()) {
            session.start();
            send(sidecar, client, session, header, chunk);
            ByteBuf content = Unpooled.directBuffer();
            while (!session.isEstablished()) {
                receive(client, session, content);
                send(sidecar, client, session, "", Integer.MAX_VALUE);
            }
            ByteBuf request = Unpooled.directBuffer().writeBytes(GET.getBytes(ISO_8859_1));
            ByteBuf wire = Unpooled.directBuffer(session.wireRoom(request.readableBytes()));
            session.encrypt(request, wire);
            client.send(octets(wire));
            while (!content.toString(ISO_8859_1).endsWith("\r\n\r\nok")) {
                receive(client, session, content);
            }
            assertThat(content.toString(ISO_8859_1)).startsWith("HTTP/1.1 200 ");
            request.release();
            content.release();
        } finally {
            session.free();
        }
    }

    private static byte[] octets(ByteBuf wire) {
        byte[] octets = new byte[wire.readableBytes()];
        wire.readBytes(octets).release();
        return octets;
    }

    /** What the session has to say, each of the first few chunks in a turn of the loop of its own. */
    private static void send(Sidecar sidecar, RawClient client, TlsSession session, String header, int chunk)
            throws IOException {
        ByteBuf said = session.takeOutgoing(UnpooledByteBufAllocator.DEFAULT);
        if (said == null) {
            return;
        }
        ByteBuf wire = Unpooled.copiedBuffer(Unpooled.copiedBuffer(header, ISO_8859_1), said);
        said.release();
        for (int i = 0; i < 8 && wire.readableBytes() > chunk; i++) {
            client.send(octets(wire.readRetainedSlice(chunk)));
            sidecar.barrier();
        }
        client.send(octets(wire));
    }

    private static void receive(RawClient client, TlsSession session, ByteBuf content) throws IOException {
        ByteBuf record = Unpooled.directBuffer();
        byte[] header = client.read(5);
        record.writeBytes(header).writeBytes(client.read((header[3] & 0xff) << 8 | header[4] & 0xff));
        content.ensureWritable(session.contentRoom(record.readableBytes()));
        session.decrypt(record, content);
        record.release();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void readsAsHttpWhatOnlyBeginsAsARecord(int chunk) throws IOException {
        try (Sidecar sidecar = sidecar("", "");
                RawClient client = sidecar.client()) {
            byte[] octets = {22, 'G'};
            client.sendSplit(octets, chunk == 1 ? 1 : 2, sidecar::barrier);
            client.send("ET / HTTP/1.1\r\nHost: app\r\n\r\n");
            assertThat(client.response().status()).isEqualTo(400);
            assertThat(backend.requests()).isEmpty();
            assertThat(sidecar.count(Count.EXCHANGES_STARTED)).isOne();
            assertThat(metric(sidecar, "plain_connections_total")).isOne();
        }
    }

    @Test
    void losesNothingOfWhatComesAtOnce() throws IOException {
        byte[] body = new byte[3_000_000];
        for (int i = 0; i < body.length; i++) {
            body[i] = (byte) (i * 31 + (i >> 11));
        }
        backend.onRequest(connection -> {
            byte[] got = connection.readRequest().body();
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: " + got.length + "\r\n\r\n");
            connection.write(got);
        });
        try (Sidecar sidecar = sidecar("", "");
                RawClient client = sidecar.client()) {
            String head = "POST / HTTP/1.1\r\nHost: app\r\nContent-Length: " + body.length + "\r\n\r\n";
            byte[] all = new byte[head.length() + body.length];
            System.arraycopy(head.getBytes(ISO_8859_1), 0, all, 0, head.length());
            System.arraycopy(body, 0, all, head.length(), body.length);
            Thread sender = new Thread(() -> {
                try {
                    client.send(all);
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
            sender.start();
            assertThat(client.response().body()).isEqualTo(body);
        }
    }

    @Test
    void answersAClientThatEndsItsSide() throws IOException {
        try (Sidecar sidecar = sidecar("", "client-half-close: serve");
                RawClient client = sidecar.client()) {
            client.send(GET).shutdownOutput();
            assertThat(client.response().bodyText()).isEqualTo("ok");
        }
    }

    // ---- who says nothing

    @Test
    void cutsWhoSaysNothing() throws IOException {
        try (Sidecar sidecar = sidecar("handshake-timeout: 300ms", "");
                RawClient silent = sidecar.client();
                RawClient inDoubt = sidecar.client();
                RawClient half = sidecar.client()) {
            inDoubt.send(new byte[] {22});
            half.send(new byte[] {22, 3, 1});
            assertThat(silent.closedByPeer()).isTrue();
            assertThat(inDoubt.closedByPeer()).isTrue();
            assertThat(half.closedByPeer()).isTrue();
            Await.until("counted", () -> failures(sidecar, "timeout") == 3);
            assertThat(sidecar.count(Count.EXCHANGES_STARTED)).isZero();
            assertThat(metric(sidecar, "plain_connections_total")).isZero();
        }
    }

    @Test
    void leavesAPlainClientToTheTimeoutsOfHttp() throws IOException {
        try (Sidecar sidecar = sidecar("handshake-timeout: 500ms", "timeouts: { header-read: 1s, idle: 60s }");
                RawClient idle = sidecar.client().send(GET)) {
            assertThat(idle.response().bodyText()).isEqualTo("ok");
            try (RawClient slow = sidecar.client().send("GET / HT")) {
                assertThat(slow.response().status()).isEqualTo(408);
            }
            assertThat(idle.send(GET).response().bodyText()).isEqualTo("ok");
        }
    }

    @Test
    void endsWithAClientThatLeaves() throws IOException {
        try (Sidecar sidecar = sidecar("", "")) {
            try (RawClient probe = sidecar.client();
                    RawClient ended = sidecar.client();
                    RawClient reset = sidecar.client()) {
                ended.send(new byte[] {22}).shutdownOutput();
                assertThat(ended.closedByPeer()).isTrue();
                probe.shutdownOutput();
                assertThat(probe.closedByPeer()).isTrue();
                reset.reset();
            }
            Await.until("counted", () -> failures(sidecar, "truncated") == 3);
            assertThat(curl(sidecar).good()).isEqualTo("ok");
        }
    }

    @Test
    void boundsHandshakesOnly() throws IOException {
        try (Sidecar sidecar = sidecar("handshakes-in-flight: 1", "");
                RawClient silent = sidecar.client();
                RawClient plain = sidecar.client()) {
            try (RawClient first = sidecar.client()) {
                first.send(new byte[] {22, 3, 1});
                sidecar.barrier();
                try (RawClient second = sidecar.client()) {
                    second.send(new byte[] {22, 3, 1});
                    assertThat(second.closedByPeer()).isTrue();
                }
                assertThat(failures(sidecar, "busy")).isOne();
                assertThat(plain.send(GET).response().bodyText()).isEqualTo("ok");
            }
            Await.until("there is room", () -> curl(sidecar).status() == 0);
            assertThat(silent.send(GET).response().bodyText()).isEqualTo("ok");
        }
    }

    // ---- who may come

    @Test
    void aPlainClientHasNoIdentity() throws IOException {
        String tls = "client-certificates: optional, " + pki.trust("ca");
        try (Sidecar sidecar = sidecar(tls, "require-identity: [\"" + URI + "\"]");
                RawClient plain = sidecar.client()) {
            assertThat(plain.send(GET).response().status()).isEqualTo(403);
            assertThat(curl(sidecar, "--cert", "client.crt", "--key", "client.key")
                            .good())
                    .isEqualTo("ok");
            assertThat(backend.requests()).hasSize(1);
        }
    }

    @Test
    void requiresACertificateOfClientsWithTlsOnly() throws IOException {
        try (Sidecar sidecar = sidecar("client-certificates: required, " + pki.trust("ca"), "");
                RawClient plain = sidecar.client()) {
            assertThat(plain.send(GET).response().bodyText()).isEqualTo("ok");
            assertThat(curl(sidecar).status()).isNotZero();
            assertThat(curl(sidecar, "--cert", "client.crt", "--key", "client.key")
                            .good())
                    .isEqualTo("ok");
            assertThat(failures(sidecar, "certificate-missing")).isOne();
        }
    }
}
