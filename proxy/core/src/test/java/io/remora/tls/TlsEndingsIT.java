package io.remora.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.remora.testkit.Await;
import io.remora.testkit.Certificates;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Sidecar;
import io.remora.testkit.Wire;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections whose peer breaks the rules of TLS end at once, and the peer is told of it by an alert. */
final class TlsEndingsIT {
    /** Beyond the wait of any test: what ends sooner has not waited for it. */
    private static final String PATIENT = "handshake-timeout: 5m";

    private static final int ALERT = 21;
    private static final int HANDSHAKE = 22;
    private static final int FATAL = 2;
    private static final int UNEXPECTED_MESSAGE = 10;
    private static final int P256 = 0x17;

    @RegisterExtension
    static final Certificates TLS = new Certificates();

    private final RecordingBackend backend = RecordingBackend.start().replyOk();

    @AfterEach
    void close() {
        backend.close();
    }

    private static long failures(Sidecar sidecar, String side) {
        return sidecar.metrics().sum("remora_tls_handshake_failures_total", "side", side, "reason", "protocol");
    }

    // ---- octets

    private static byte[] octets(String hex) {
        return HexFormat.of().parseHex(hex);
    }

    private static byte[] record(int type, byte[] content) {
        ByteBuffer record = ByteBuffer.allocate(5 + content.length);
        record.put((byte) type).putShort((short) 0x0303).putShort((short) content.length);
        return record.put(content).array();
    }

    private static byte[] message(int type, byte[] body) {
        ByteBuffer message = ByteBuffer.allocate(4 + body.length);
        return message.putInt(type << 24 | body.length).put(body).array();
    }

    private static byte[] extensions(byte[]... all) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] extension : all) {
            out.writeBytes(extension);
        }
        ByteBuffer list = ByteBuffer.allocate(2 + out.size());
        return list.putShort((short) out.size()).put(out.toByteArray()).array();
    }

    private static byte[] keyShare(int group, byte[] share, boolean inList) {
        ByteBuffer extension = ByteBuffer.allocate(8 + (inList ? 2 : 0) + share.length);
        extension.putShort((short) 51).putShort((short) (extension.capacity() - 4));
        if (inList) {
            extension.putShort((short) (4 + share.length));
        }
        extension.putShort((short) group).putShort((short) share.length);
        return extension.put(share).array();
    }

    private static byte[] share(String point) {
        return octets(
                switch (point) {
                    case "off the curve" -> "04" + "00".repeat(63) + "01";
                    case "at infinity" -> "00";
                    default -> "04" + "01".repeat(30);
                });
    }

    /** A hello of TLS 1.3 that could be answered but for its share. */
    private static byte[] hello(byte[] share) {
        ByteArrayOutputStream hello = new ByteArrayOutputStream();
        hello.writeBytes(octets("0303" + "5a".repeat(32) + "00" + "00021301" + "0100"));
        byte[] versions = octets("002b0003020304");
        byte[] groups = octets("000a000400020017");
        byte[] signatures = octets("000d0006000408040403");
        hello.writeBytes(extensions(versions, groups, signatures, keyShare(P256, share, true)));
        return message(1, hello.toByteArray());
    }

    private static void assertEndsWithAlert(byte[] answer) {
        assertThat(answer).hasSizeGreaterThanOrEqualTo(7);
        assertThat(answer[answer.length - 7]).isEqualTo((byte) ALERT);
    }

    private static void assertEndsWithFatalAlert(byte[] answer) {
        assertEndsWithAlert(answer);
        assertThat(answer[answer.length - 2]).isEqualTo((byte) FATAL);
    }

    // ---- key shares

    @ParameterizedTest
    @ValueSource(strings = {"off the curve", "at infinity", "cut"})
    void aClientsKeyShareThatIsNoPointEndsTheHandshake(String point) throws IOException {
        try (Sidecar sidecar = TLS.listening(backend, PATIENT, "server")) {
            try (RawClient client = sidecar.client()) {
                client.send(record(HANDSHAKE, hello(share(point))));
                assertEndsWithAlert(client.readToEnd());
            }
            Await.until("counted", () -> failures(sidecar, "listener") == 1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"off the curve", "at infinity", "cut"})
    void anEndpointsKeyShareThatIsNoPointEndsTheHandshake(String point) throws IOException {
        try (BrokenEndpoint endpoint = new BrokenEndpoint(share(point));
                Sidecar sidecar = TLS.before(endpoint.port(), TLS.pki().trust("ca") + ", server-name: app.test");
                RawClient client = sidecar.client()) {
            RawResponse response =
                    client.send("GET / HTTP/1.1\r\nHost: app\r\n\r\n").response();
            assertThat(response.status()).isEqualTo(502);
            assertThat(response.field("Remora-Error")).isEqualTo("handshake-failed");
            assertThat(failures(sidecar, "cluster")).isPositive();
        }
    }

    /** Answers each hello with the share that it is given, for P-256 where the client offers that. */
    private static final class BrokenEndpoint implements AutoCloseable {
        private final ServerSocket listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        private final byte[] share;

        BrokenEndpoint(byte[] share) throws IOException {
            this.share = share;
            Thread thread = new Thread(this::accept, "broken endpoint");
            thread.setDaemon(true);
            thread.start();
        }

        int port() {
            return listening.getLocalPort();
        }

        private void accept() {
            while (!listening.isClosed()) {
                try (Socket client = listening.accept()) {
                    DataInputStream in = new DataInputStream(client.getInputStream());
                    in.skipNBytes(3);
                    byte[] hello = new byte[in.readUnsignedShort()];
                    in.readFully(hello);
                    client.getOutputStream().write(record(HANDSHAKE, answer(ByteBuffer.wrap(hello))));
                    // until the sidecar gives up
                    in.transferTo(ByteArrayOutputStream.nullOutputStream());
                } catch (IOException e) {
                    // closed, or a client that went
                }
            }
        }

        private byte[] answer(ByteBuffer hello) {
            byte[] session = new byte[hello.get(38)];
            hello.position(39).get(session);
            hello.position(hello.position() + 2 + hello.getShort(hello.position()));
            hello.position(hello.position() + 1 + hello.get(hello.position()) + 2);
            ByteArrayOutputStream body = new ByteArrayOutputStream();
            body.writeBytes(octets("0303" + "5a".repeat(32)));
            body.write(session.length);
            body.writeBytes(session);
            body.writeBytes(octets("130100"));
            body.writeBytes(extensions(octets("002b00020304"), keyShare(group(hello), share, false)));
            return message(2, body.toByteArray());
        }

        /** P-256, or the only one that has a share. */
        private static int group(ByteBuffer extensions) {
            int group = 0;
            while (extensions.hasRemaining()) {
                int type = extensions.getShort();
                ByteBuffer extension = extensions.slice(extensions.position() + 2, extensions.getShort());
                extensions.position(extensions.position() + extension.capacity());
                if (type == 51) {
                    extension.getShort();
                    while (extension.hasRemaining() && group != P256) {
                        group = extension.getShort();
                        extension.position(extension.position() + 2 + extension.getShort(extension.position()));
                    }
                }
            }
            return group;
        }

        @Override
        public void close() throws IOException {
            listening.close();
        }
    }

    // ---- records of no type

    @ParameterizedTest
    @ValueSource(ints = {0, 19, 24, 255})
    void aRecordOfNoTypeEndsTheHandshake(int type) throws IOException {
        try (Sidecar sidecar = TLS.listening(backend, PATIENT, "server");
                RawClient client = sidecar.client()) {
            client.send(record(HANDSHAKE, octets("010000ff0303")));
            client.send(record(type, octets("00")));
            byte[] answer = client.readToEnd();
            assertEndsWithFatalAlert(answer);
            assertThat(answer[answer.length - 1]).isEqualTo((byte) UNEXPECTED_MESSAGE);
            Await.until("counted", () -> failures(sidecar, "listener") == 1);
        }
    }

    @ParameterizedTest
    @CsvSource({"TLSv1.2, 24", "TLSv1.2, 255", "TLSv1.3, 24", "TLSv1.3, 255"})
    void aRecordOfNoTypeEndsAConnection(String version, int type) throws IOException {
        try (Sidecar sidecar = TLS.listening(backend, "", "server");
                Socket socket = new Socket(
                        InetAddress.getLoopbackAddress(), sidecar.address().getPort());
                SSLSocket tls = (SSLSocket) TlsPeer.context(TLS.pki())
                        .getSocketFactory()
                        .createSocket(socket, "localhost", socket.getPort(), false)) {
            socket.setSoTimeout(Await.TIMEOUT_MS);
            tls.setEnabledProtocols(new String[] {version});
            tls.startHandshake();
            socket.getOutputStream().write(record(type, new byte[40]));
            assertThatThrownBy(() -> tls.getInputStream().read())
                    .isInstanceOf(SSLException.class)
                    .hasMessageContaining("fatal alert");
        }
    }

    /** A close_notify of TLS 1.3 ends one side, as a FIN does without TLS. */
    @Test
    void aClientThatEndsItsSideWhileItWaitsIsGone() throws IOException {
        backend.neverAnswer();
        try (Sidecar sidecar = TLS.listening(backend, "", "server");
                SSLSocket tls = (SSLSocket) TlsPeer.context(TLS.pki())
                        .getSocketFactory()
                        .createSocket(
                                InetAddress.getLoopbackAddress(),
                                sidecar.address().getPort())) {
            tls.setSoTimeout(Await.TIMEOUT_MS);
            tls.setEnabledProtocols(new String[] {"TLSv1.3"});
            tls.getOutputStream().write(Wire.bytes("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"));
            Await.until("the request is at the backend", () -> backend.received().length > 0);
            tls.shutdownOutput();
            Await.until("the backend's connection is closed", () -> sidecar.openBackendConnections() == 0);
            assertThat(tls.getInputStream().read()).isNegative();
        }
    }

    // ---- hellos that are too long

    /** All that has come by then has been read, so that no reset overtakes the alert. */
    @Test
    void aHelloThatAnnouncesTooMuchIsRefusedWithAnAlert() throws IOException {
        try (Sidecar sidecar = TLS.listening(backend, PATIENT, "server");
                RawClient client = sidecar.client()) {
            client.send(record(HANDSHAKE, octets("0100ffff0303")));
            assertEndsWithFatalAlert(client.readToEnd());
            Await.until("counted", () -> failures(sidecar, "listener") == 1);
        }
    }
}
