package io.remora.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.Certificates;
import io.remora.testkit.Command;
import io.remora.testkit.Count;
import io.remora.testkit.EveryEngine;
import io.remora.testkit.FaultyRelay;
import io.remora.testkit.FaultyRelay.Fault;
import io.remora.testkit.Metrics;
import io.remora.testkit.OpensslServer;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Setup;
import io.remora.testkit.Sidecar;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Handshakes and connections that networks and attackers break, on both sides: each ends, and others are served. */
@EveryEngine
final class TlsFaultsIT {
    private static final String GET = "GET /hello HTTP/1.1\r\nHost: app\r\nConnection: close\r\n\r\n";
    private static final int HALF_OPEN = 5_000;

    @RegisterExtension
    static final Certificates TLS = new Certificates();

    private final RecordingBackend backend = RecordingBackend.start().replyOk();

    @BeforeAll
    static void content() throws IOException {
        Files.writeString(TLS.pki().path("hello"), "hello");
    }

    @AfterEach
    void close() {
        backend.close();
    }

    private static Command client(int port, String version) {
        String command = "openssl s_client -ign_eof -connect 127.0.0.1:" + port + " -CAfile ca.crt " + version;
        return Command.fed(TLS.directory(), GET, command.split(" "));
    }

    private static long failures(Sidecar sidecar, String side) {
        return sidecar.metrics().sum("remora_tls_handshake_failures_total", "side", side);
    }

    private static long failures(Sidecar sidecar, String side, String reason) {
        return sidecar.metrics().sum("remora_tls_handshake_failures_total", "side", side, "reason", reason);
    }

    private static RawResponse get(Sidecar sidecar) throws IOException {
        try (RawClient client = sidecar.client()) {
            return client.send(GET).response();
        }
    }

    /** What a good client is told, by openssl and by the sidecar. */
    private static String ask(Sidecar sidecar) {
        return client(sidecar.address().getPort(), "-tls1_3").output();
    }

    private static void assertServed(Sidecar sidecar) {
        assertThat(ask(sidecar)).contains("HTTP/1.1 200 OK");
    }

    /** Where a test has made handshakes hard to end in time, another one may be begun. */
    private static void assertServedInTheEnd(Sidecar sidecar) {
        Await.until("served", () -> ask(sidecar).contains("HTTP/1.1 200 OK"));
    }

    // ---- octet by octet

    @ParameterizedTest
    @ValueSource(strings = {"-tls1_2", "-tls1_3"})
    void aClientMayComeOctetByOctet(String version) {
        try (Sidecar sidecar = TLS.listening(backend, "", "server");
                FaultyRelay relay = new FaultyRelay(sidecar.address().getPort(), false, Fault.DRIBBLE, 0, 0)) {
            assertThat(client(relay.port(), version).output()).contains("HTTP/1.1 200 OK");
            assertThat(relay.struck()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"-tls1_2", "-tls1_3"})
    void anEndpointMayAnswerOctetByOctet(String version) throws IOException {
        try (OpensslServer server = TLS.opensslServer("app", version);
                FaultyRelay relay = new FaultyRelay(server.port(), true, Fault.DRIBBLE, 0, 0);
                Sidecar sidecar = TLS.before(relay.port(), TLS.pki().trust("ca") + ", server-name: app.test")) {
            assertThat(get(sidecar).bodyText()).isEqualTo("hello");
        }
    }

    // ---- a hello of 64 KiB

    /** Padded (RFC 7685), and otherwise one that could be answered. */
    private static byte[] longHello() {
        byte[] extensions = new byte[65_450];
        ByteBuffer.wrap(extensions).putShort((short) 21).putShort((short) (extensions.length - 4));
        ByteBuffer hello = ByteBuffer.allocate(4 + 2 + 32 + 1 + 4 + 2 + 2 + extensions.length);
        int length = hello.capacity() - 4;
        hello.put((byte) 1).put((byte) (length >> 16)).putShort((short) length);
        hello.putShort((short) 0x0303).put(new byte[32]).put((byte) 0);
        // a suite of TLS 1.2, and no compression
        hello.putShort((short) 2).putShort((short) 0xc02b).put((byte) 1).put((byte) 0);
        hello.putShort((short) extensions.length).put(extensions);
        return hello.array();
    }

    /** In records of so many octets. */
    private static byte[] records(byte[] message, int most) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int at = 0; at < message.length; at += most) {
            int length = Math.min(most, message.length - at);
            all.writeBytes(new byte[] {22, 3, 1, (byte) (length >> 8), (byte) length});
            all.write(message, at, length);
        }
        return all.toByteArray();
    }

    @ParameterizedTest
    @ValueSource(ints = {16_384, 1_000, 7})
    void aHelloOf64KiBIsRefused(int most) throws IOException {
        try (Sidecar sidecar = TLS.listening(backend, "", "server");
                RawClient client = sidecar.client()) {
            client.trySend(records(longHello(), most));
            client.shutdownOutputQuietly();
            byte[] answer = client.readToEnd();
            // an alert, where the reset for what was not read has left it there
            assertThat(answer.length == 0 || answer[0] == 21).isTrue();
            Await.until("counted", () -> failures(sidecar, "listener", "protocol") == 1);
            assertServed(sidecar);
        }
    }

    // ---- a stop, or a reset, in each flight

    @ParameterizedTest
    @CsvSource({
        "-tls1_2, 0, 3", "-tls1_2, 0, 50", "-tls1_2, 1, 0", "-tls1_2, 1, 20", "-tls1_2, 2, 0", "-tls1_2, 2, 10",
        "-tls1_3, 0, 3", "-tls1_3, 0, 50", "-tls1_3, 1, 0", "-tls1_3, 1, 3", "-tls1_3, 2, 0", "-tls1_3, 2, 10"
    })
    void aClientThatStopsOrIsResetIsForgotten(String version, int records, int octets) {
        for (Fault fault : List.of(Fault.STOP, Fault.RESET)) {
            // who stops is given up soon, and nobody else, however busy the machine is
            String timeout = fault == Fault.STOP ? "handshake-timeout: 1s" : "";
            try (Sidecar sidecar = TLS.listening(backend, timeout, "server");
                    FaultyRelay relay = new FaultyRelay(sidecar.address().getPort(), false, fault, records, octets)) {
                assertThat(client(relay.port(), version).output()).doesNotContain("HTTP/1.1 200 OK");
                assertThat(relay.struck()).isTrue();
                String reason = fault == Fault.STOP ? "timeout" : "truncated";
                Await.until(fault + " counted", () -> failures(sidecar, "listener", reason) == 1);
                assertThat(failures(sidecar, "listener")).isOne();
                if (fault == Fault.STOP) {
                    assertServedInTheEnd(sidecar);
                } else {
                    assertServed(sidecar);
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "-tls1_2, 0, 3", "-tls1_2, 0, 50", "-tls1_2, 1, 0", "-tls1_2, 2, 5", "-tls1_2, 4, 0",
        "-tls1_3, 0, 3", "-tls1_3, 0, 50", "-tls1_3, 1, 0", "-tls1_3, 1, 3", "-tls1_3, 3, 10"
    })
    void anEndpointThatStopsOrIsResetIsGivenUp(String version, int records, int octets) throws IOException {
        for (Fault fault : List.of(Fault.STOP, Fault.RESET)) {
            try (OpensslServer server = TLS.opensslServer("app", version);
                    FaultyRelay relay = new FaultyRelay(server.port(), true, fault, records, octets);
                    Sidecar sidecar = Sidecar.start(Setup.at(relay.port())
                            .cluster("tls: { " + TLS.pki().trust("ca")
                                    + ", server-name: app.test }\ntimeouts: { connect: 500ms }"))) {
                RawResponse response = get(sidecar);
                assertThat(response.status()).isEqualTo(fault == Fault.STOP ? 504 : 502);
                assertThat(relay.struck()).isTrue();
                String reason = fault == Fault.STOP ? "timeout" : "truncated";
                Await.until(fault + " counted", () -> failures(sidecar, "cluster", reason) > 0);
                assertThat(sidecar.count(Count.BACKEND_CONNECTIONS_OPENED)).isZero();
            }
        }
    }

    // ---- a body that is cut

    /** The end of a connection without a close_notify is not the end of a request. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aRequestThatIsCutIsNotPassedAsAWholeOne(boolean resets) throws IOException {
        try (Sidecar sidecar = TLS.listening(backend, "", "server")) {
            Socket socket = new Socket("127.0.0.1", sidecar.address().getPort());
            SSLSocket tls = (SSLSocket) TlsPeer.context(TLS.pki())
                    .getSocketFactory()
                    .createSocket(socket, "localhost", socket.getPort(), false);
            String head = "POST / HTTP/1.1\r\nHost: app\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n";
            tls.getOutputStream().write(head.getBytes(StandardCharsets.ISO_8859_1));
            Await.until(
                    "it is there", () -> new String(backend.received(), StandardCharsets.ISO_8859_1).contains("hello"));
            socket.setSoLinger(resets, 0);
            socket.close();
            sidecar.awaitIdle();
            assertThat(new String(backend.received(), StandardCharsets.ISO_8859_1))
                    .doesNotContain("\r\n0\r\n");
            assertServed(sidecar);
        }
    }

    // ---- many half-open ones

    /** With a hello that has begun. */
    private static SocketChannel halfOpen(Sidecar sidecar) throws IOException {
        SocketChannel channel = SocketChannel.open(sidecar.address());
        try {
            channel.write(ByteBuffer.wrap(new byte[] {22, 3, 1, 1, 0, 1, 0}));
        } catch (IOException refused) {
            // one beyond the bound
        }
        return channel;
    }

    @Test
    void manyHalfOpenHandshakesLeaveOthersServed() throws IOException {
        List<SocketChannel> channels = new ArrayList<>();
        try (Sidecar sidecar = TLS.listening(backend, "handshake-timeout: 5m, handshakes-in-flight: 500", "server");
                TlsPeer before = TlsPeer.connect(sidecar.address(), TlsPeer.context(TLS.pki()))) {
            try {
                open(channels, sidecar);
                Await.until("bounded", () -> failures(sidecar, "listener", "busy") == HALF_OPEN - 500);
                assertThat(before.get().status()).isEqualTo(200);
                // 100 of those that were let in go
                for (SocketChannel channel : channels.subList(0, 100)) {
                    channel.close();
                }
                Await.until("room", () -> failures(sidecar, "listener", "truncated") == 100);
                assertServed(sidecar);
                assertThat(failures(sidecar, "listener", "busy")).isEqualTo(HALF_OPEN - 500);
            } finally {
                close(channels);
            }
        }
    }

    /** At the listener's number too, the client with most of them makes room for another. */
    @Test
    void halfOpenHandshakesOfOneClientLeaveOthersServed() throws IOException {
        List<SocketChannel> channels = new ArrayList<>();
        try (Sidecar sidecar = TLS.listening(backend, "handshake-timeout: 5m, handshakes-in-flight: 500", "server")) {
            try {
                for (int i = 0; i < 600; i++) {
                    channels.add(halfOpen(sidecar));
                }
                Await.until("full", () -> failures(sidecar, "listener", "busy") == 100);
                for (int i = 0; i < 20; i++) {
                    try (TlsPeer other =
                            TlsPeer.connectFrom("127.0.0.2", sidecar.address(), TlsPeer.context(TLS.pki()))) {
                        assertThat(other.get().status()).isEqualTo(200);
                    }
                }
                Await.until("one made room", () -> failures(sidecar, "listener", "busy") > 100);
                assertThat(failures(sidecar, "listener", "timeout")).isZero();
            } finally {
                close(channels);
            }
        }
    }

    /** A failed handshake that waits for its client's end is not under way: to cut it would make no room. */
    @Test
    void aFailedHandshakeMakesNoRoom() throws IOException {
        List<SocketChannel> failed = new ArrayList<>();
        List<SocketChannel> channels = new ArrayList<>();
        try (Sidecar sidecar = TLS.listening(backend, "handshake-timeout: 5m, handshakes-in-flight: 50", "server")) {
            try {
                for (int i = 0; i < 50; i++) {
                    failed.add(SocketChannel.open(sidecar.address()));
                    failed.get(i).write(ByteBuffer.wrap(new byte[] {22, 3, 1, 0, 4, 9, 0, 0, 0}));
                }
                Await.until("failed", () -> failures(sidecar, "listener", "protocol") == 50);
                for (int i = 0; i < 60; i++) {
                    channels.add(halfOpen(sidecar));
                }
                Await.until("full", () -> failures(sidecar, "listener", "busy") == 10);
                try (TlsPeer other = TlsPeer.connectFrom("127.0.0.2", sidecar.address(), TlsPeer.context(TLS.pki()))) {
                    assertThat(other.get().status()).isEqualTo(200);
                }
                Await.until("one is cut", () -> failures(sidecar, "listener", "busy") == 11);
                assertThat(failures(sidecar, "listener")).isEqualTo(61);
            } finally {
                close(failed);
                close(channels);
            }
        }
    }

    /** Where no number keeps them out, memory may; then those who have had a second make room. */
    @Test
    void manyMoreThanMemoryHasRoomForLeaveOthersServed() throws IOException {
        List<SocketChannel> channels = new ArrayList<>();
        try (Sidecar sidecar = TLS.listening(backend, "handshake-timeout: 5m, handshakes-in-flight: 6000", "server");
                TlsPeer before = TlsPeer.connect(sidecar.address(), TlsPeer.context(TLS.pki()))) {
            try {
                open(channels, sidecar);
                Await.until("all have come", () -> {
                    Metrics metrics = sidecar.metrics();
                    return metrics.sum("remora_memory_handshakes") + metrics.sum("remora_memory_handshakes_cut_total")
                            == HALF_OPEN;
                });
                assertThat(failures(sidecar, "listener", "busy")).isZero();
                assertThat(before.get().status()).isEqualTo(200);
                assertServedInTheEnd(sidecar);
            } finally {
                close(channels);
            }
        }
    }

    private static void open(List<SocketChannel> channels, Sidecar sidecar) throws IOException {
        for (int i = 0; i < HALF_OPEN; i++) {
            channels.add(halfOpen(sidecar));
        }
    }

    private static void close(List<SocketChannel> channels) throws IOException {
        for (SocketChannel channel : channels) {
            channel.close();
        }
    }
}
