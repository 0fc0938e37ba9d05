package io.remora.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.remora.testkit.Await;
import io.remora.testkit.Command;
import io.remora.testkit.Contract;
import io.remora.testkit.Count;
import io.remora.testkit.Metrics;
import io.remora.testkit.Nginx;
import io.remora.testkit.Pattern;
import io.remora.testkit.RawClient;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Sidecar;
import io.remora.testkit.Wire;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Listeners and endpoints that are Unix sockets: HTTP by curl, octets, and what becomes of the file. */
@Contract
final class UnixSocketIT {
    private static final String TCP = "protocol: tcp";
    private static final long LARGE = 256L << 20;

    @TempDir
    Path directory;

    private final RecordingBackend backend = RecordingBackend.start();

    @AfterEach
    void close() {
        backend.close();
    }

    private Path file() {
        return directory.resolve("in.sock");
    }

    /** A sidecar with a listener at the file beside the one of tests, before an endpoint, an address in quotes. */
    private String yaml(String endpoint, String listener, String cluster) {
        return """
            admin: { address: "127.0.0.1:0" }
            log-level: warn
            via: remora
            listeners:
              - name: test
                address: "unix:FILE"
                cluster: app
                LISTENER
              - { name: barrier, address: "127.0.0.1:0", cluster: barrier }
            clusters:
              app:
                endpoints: [ENDPOINT]
                CLUSTER
              barrier: { endpoints: ["127.0.0.1:${BARRIER}"] }
            """.replace("FILE", file().toString())
                .replace("LISTENER", listener)
                .replace("ENDPOINT", endpoint)
                .replace("CLUSTER", cluster);
    }

    private Sidecar sidecar(String listener) {
        return Sidecar.of(yaml("\"127.0.0.1:" + backend.port() + '"', listener, ""));
    }

    private Command curl(String... options) {
        String[] command = new String[options.length + 6];
        System.arraycopy(
                new String[] {"curl", "-sS", "--unix-socket", file().toString(), "--http1.1", "http://app.test/x"},
                0,
                command,
                0,
                6);
        System.arraycopy(options, 0, command, 6, options.length);
        return Command.run(directory, command);
    }

    private SocketChannel connect() throws IOException {
        return SocketChannel.open(UnixDomainSocketAddress.of(file()));
    }

    private static String readToEnd(SocketChannel channel) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        ByteBuffer some = ByteBuffer.allocate(1 << 12);
        while (channel.read(some) >= 0) {
            all.write(some.array(), 0, some.position());
            some.clear();
        }
        return Wire.text(all.toByteArray());
    }

    // ---- listeners

    /** The peer has no address, which X-Forwarded-For says as RFC 7239 6.2 does. */
    @Test
    void servesHttp() {
        try (Sidecar sidecar = sidecar("headers: { forwarded: append }")) {
            assertThat(curl().good()).isEqualTo("ok");
            assertThat(curl("-d", "body").good()).isEqualTo("ok");
            sidecar.awaitIdle();
        }
        assertThat(backend.requests()).hasSize(2).allSatisfy(request -> {
            assertThat(request.fields().first("X-Forwarded-For")).isEqualTo("unknown");
            assertThat(request.fields().first("Forwarded")).startsWith("for=unknown;host=app.test");
        });
    }

    /** HTTP/1.0 without a Host is for this machine. */
    @Test
    void hasAHostForWhoSaysNone() throws IOException {
        try (Sidecar sidecar = sidecar("");
                SocketChannel client = connect()) {
            client.write(ByteBuffer.wrap(Wire.bytes("GET / HTTP/1.0\r\n\r\n")));
            assertThat(readToEnd(client)).startsWith("HTTP/1.1 200").endsWith("ok");
            sidecar.awaitIdle();
        }
        assertThat(backend.requests().get(0).fields().first("Host")).isEqualTo("localhost");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0600", "0666", "0770"})
    void hasTheModeThatIsAskedFor(String mode) throws IOException {
        try (Sidecar sidecar = sidecar("socket: { mode: \"" + mode + "\" }")) {
            int bits = (Integer) Files.getAttribute(file(), "unix:mode", LinkOption.NOFOLLOW_LINKS);
            assertThat(bits & 0777).isEqualTo(Integer.parseInt(mode, 8));
            sidecar.awaitIdle();
        }
    }

    @Test
    void isForOwnerAndGroupByDefault() throws IOException {
        try (Sidecar sidecar = sidecar("")) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
                    .isEqualTo("rw-rw----");
            sidecar.awaitIdle();
        }
    }

    @Test
    void hasTheOwnerThatIsAskedFor() throws IOException {
        String own = Files.getOwner(directory).getName();
        try (Sidecar sidecar = sidecar("socket: { owner: " + own + " }")) {
            assertThat(Files.getOwner(file()).getName()).isEqualTo(own);
            sidecar.awaitIdle();
        }
        assertThatThrownBy(() -> sidecar("socket: { owner: nobody-of-that-name }"))
                .hasMessageContaining("no such user or group: nobody-of-that-name");
        assertThat(directory).isEmptyDirectory();
    }

    // ---- the file

    @Test
    void isRemovedAtTheEnd() {
        try (Sidecar sidecar = sidecar("")) {
            assertThat(file()).exists();
            sidecar.drain();
            assertThat(file()).doesNotExist();
        }
        assertThat(directory).isEmptyDirectory();
    }

    /** What a process left that was killed. */
    @Test
    void takesThePlaceOfAStaleOne() throws IOException {
        try (ServerSocketChannel killed = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            killed.bind(UnixDomainSocketAddress.of(file()));
        }
        assertThat(file()).exists();
        try (Sidecar sidecar = sidecar("")) {
            assertThat(curl().good()).isEqualTo("ok");
            sidecar.awaitIdle();
        }
    }

    @Test
    void leavesALiveOneAlone() throws IOException {
        try (ServerSocketChannel alive = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            alive.bind(UnixDomainSocketAddress.of(file()));
            assertThatThrownBy(() -> sidecar(""))
                    .hasMessageContaining("cannot listen on unix:" + file() + ": another process listens on " + file());
            assertThat(file()).exists();
            try (SocketChannel client = connect()) {
                assertThat(client.isConnected()).isTrue();
            }
        }
    }

    @Test
    void refusesWhatIsNoSocket() throws IOException {
        Files.writeString(file(), "precious");
        assertThatThrownBy(() -> sidecar("")).hasMessageContaining("is a file, but not a socket");
        assertThat(file()).hasContent("precious");
    }

    /** Nor does it touch what is not its own under the name by which it makes its file. */
    @Test
    void leavesWhatStandsBesideItAlone() throws IOException {
        Path beside = directory.resolve("in.sock.new");
        Files.writeString(beside, "precious");
        assertThatThrownBy(() -> sidecar("")).hasMessageContaining("is a file, but not a socket");
        assertThat(beside).hasContent("precious");
    }

    @Test
    void refusesAPlaceThatIsNotThere() {
        String yaml = yaml("\"127.0.0.1:" + backend.port() + '"', "", "")
                .replace(file().toString(), directory.resolve("none/in.sock").toString());
        assertThatThrownBy(() -> Sidecar.of(yaml)).hasMessageContaining("cannot listen on unix:");
    }

    /** Somebody has put another file in its place meanwhile. */
    @Test
    void leavesTheFileOfAnother() throws IOException {
        try (Sidecar sidecar = sidecar("")) {
            sidecar.awaitIdle();
            Files.delete(file());
            Files.writeString(file(), "another's");
        }
        assertThat(file()).hasContent("another's");
    }

    // ---- endpoints of a file

    @Test
    void areEndpointsThatAFileLists() throws IOException {
        Path out = directory.resolve("out.sock");
        Path list = Files.writeString(directory.resolve("endpoints.yaml"), "- unix:" + out + "\n");
        Files.setLastModifiedTime(list, FileTime.fromMillis(System.currentTimeMillis() - 10_000));
        String listed = yaml("", "", "").replace("endpoints: []", "resolver: { file: " + list + " }");
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(out));
            CompletableFuture<Void> served = CompletableFuture.runAsync(() -> answer(server));
            try (Sidecar sidecar = Sidecar.of(listed)) {
                assertThat(curl().good()).isEqualTo("ok");
                served.join();
                assertThat(sidecar.metrics().sum("remora_backend_connections_opened_total", "endpoint", "unix:" + out))
                        .isOne();
                sidecar.awaitIdle();
            }
        }
    }

    private static void answer(ServerSocketChannel server) {
        try (SocketChannel one = server.accept()) {
            ByteBuffer some = ByteBuffer.allocate(1 << 12);
            while (!new String(some.array(), 0, some.position(), StandardCharsets.US_ASCII).contains("\r\n\r\n")) {
                assertThat(one.read(some)).isPositive();
            }
            one.write(ByteBuffer.wrap(Wire.bytes(RecordingBackend.OK)));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    // ---- octets

    /** In at one socket and out at another, with ends in both directions and a memory that does not grow. */
    @Test
    void carriesOctetsBothWays() throws Exception {
        Path out = directory.resolve("out.sock");
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(out));
            CompletableFuture<Void> echo = CompletableFuture.runAsync(() -> echo(server));
            try (Sidecar sidecar = Sidecar.of(yaml("\"unix:" + out + '"', TCP, TCP));
                    SocketChannel client = connect()) {
                CompletableFuture<Void> sent = CompletableFuture.runAsync(() -> {
                    try {
                        Pattern.write(octets -> write(client, octets), LARGE);
                        client.shutdownOutput();
                    } catch (IOException e) {
                        throw new AssertionError(e);
                    }
                });
                Pattern.check(Channels.newInputStream(client), LARGE);
                assertThat(client.read(ByteBuffer.allocate(1))).isNegative();
                sent.join();
                echo.join();
                sidecar.awaitIdle();
                Metrics metrics = sidecar.metrics();
                assertThat(metrics.sum("remora_failures_total", "listener", Sidecar.LISTENER))
                        .isZero();
                assertThat(metrics.sum("remora_backend_connections_opened_total", "endpoint", "unix:" + out))
                        .isOne();
            }
        }
    }

    // not by a stream, which would wait for the one that reads
    private static void write(SocketChannel client, byte[] octets) throws IOException {
        ByteBuffer out = ByteBuffer.wrap(octets);
        while (out.hasRemaining()) {
            client.write(out);
        }
    }

    private static void echo(ServerSocketChannel server) {
        try (SocketChannel one = server.accept()) {
            ByteBuffer some = ByteBuffer.allocateDirect(1 << 16);
            while (one.read(some) >= 0) {
                some.flip();
                while (some.hasRemaining()) {
                    one.write(some);
                }
                some.clear();
            }
            one.shutdownOutput();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** The client ends its side, and has its response all the same. */
    @Test
    void answersAClientThatHasEndedItsSide() throws IOException {
        try (Sidecar sidecar = sidecar("client-half-close: serve");
                SocketChannel client = connect()) {
            client.write(ByteBuffer.wrap(Wire.bytes("GET / HTTP/1.1\r\nHost: a\r\n\r\n")));
            client.shutdownOutput();
            assertThat(readToEnd(client)).startsWith("HTTP/1.1 200").endsWith("ok");
            sidecar.awaitIdle();
        }
    }

    /** The endpoint ends its side first, and gets what the client says after that. */
    @Test
    void endsFromTheEndpointsSideFirst() throws Exception {
        Path out = directory.resolve("out.sock");
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(out));
            CompletableFuture<String> got = CompletableFuture.supplyAsync(() -> sayAndListen(server));
            try (Sidecar sidecar = Sidecar.of(yaml("\"unix:" + out + '"', TCP, TCP));
                    SocketChannel client = connect()) {
                assertThat(readToEnd(client)).isEqualTo("last");
                client.write(ByteBuffer.wrap(Wire.bytes("still here")));
                client.shutdownOutput();
                assertThat(got.join()).isEqualTo("still here");
                sidecar.awaitIdle();
                assertThat(sidecar.metrics().sum("remora_failures_total", "listener", Sidecar.LISTENER))
                        .isZero();
            }
        }
    }

    private static String sayAndListen(ServerSocketChannel server) {
        try (SocketChannel one = server.accept()) {
            one.write(ByteBuffer.wrap(Wire.bytes("last")));
            one.shutdownOutput();
            return readToEnd(one);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** A client that does not read stops the backend from being read, on sockets whose buffers are bound otherwise. */
    @Test
    void holdsBackWhoSendsTooFast() throws IOException {
        CountDownLatch over = new CountDownLatch(1);
        backend.onAccept(connection -> {
            Pattern.write(
                    octets -> {
                        if (over.getCount() > 0 && connection.isOpen()) {
                            connection.write(octets);
                        }
                    },
                    LARGE);
        });
        try (Sidecar sidecar = Sidecar.of(yaml("\"127.0.0.1:" + backend.port() + '"', TCP, TCP))) {
            try (SocketChannel client = connect()) {
                long before = -1;
                long now = 0;
                while (now == 0 || before != now) {
                    before = now;
                    for (int i = 0; i < 200; i++) {
                        sidecar.barrier();
                    }
                    now = sidecar.count(Count.RESPONSE_BODY_BYTES);
                }
                assertThat(now).isPositive().isLessThan(LARGE / 8);
                over.countDown();
                assertThat(client.isOpen()).isTrue();
            }
            Await.until("ended", () -> sidecar.count(Count.EXCHANGES_IN_FLIGHT) == 0);
        }
    }

    // ---- endpoints

    /** A program that knows nothing of the sidecar, behind a socket. */
    @Test
    void asksAProgramBehindASocket() throws IOException {
        Path out = directory.resolve("nginx.sock");
        try (Nginx nginx = new Nginx(directory).socket(out).start();
                Sidecar sidecar = Sidecar.of(
                        yaml("\"unix:" + out + '"', "", "health-check: { path: /, interval: 50ms, timeout: 40ms }"))) {
            assertThat(nginx.root()).exists();
            assertThat(curl().good()).isEqualTo("nginx");
            assertThat(curl().good()).isEqualTo("nginx");
            sidecar.awaitIdle();
            Await.until(
                    "checked",
                    () -> sidecar.metrics().sum("remora_cluster_health_checks_total", "outcome", "success") > 0);
            assertThat(sidecar.count(Count.BACKEND_CONNECTIONS_REUSED)).isPositive();
        }
    }

    /** HTTP/2 from a client, and on to an endpoint that is another sidecar's listener. */
    @Test
    void speaksHttp2() {
        Path out = directory.resolve("out.sock");
        String behind = yaml("\"127.0.0.1:" + backend.port() + '"', "protocol: http2", "")
                .replace(file().toString(), out.toString())
                .replace("via: remora", "via: behind");
        try (Sidecar second = Sidecar.of(behind);
                Sidecar sidecar = Sidecar.of(yaml("\"unix:" + out + '"', "protocol: auto", "protocol: http2"))) {
            assertThat(curl("--http2-prior-knowledge").good()).isEqualTo("ok");
            assertThat(curl("--http2-prior-knowledge", "-d", "body").good()).isEqualTo("ok");
            assertThat(curl("-d", "body").good()).isEqualTo("ok");
            sidecar.awaitIdle();
            second.awaitIdle();
        }
        assertThat(backend.requests()).hasSize(3).allSatisfy(request -> {
            assertThat(request.fields().first("X-Forwarded-For")).startsWith("unknown");
            assertThat(request.fields().first("Host")).isEqualTo("app.test");
        });
    }

    @Test
    void saysThatNobodyListens() {
        Path out = directory.resolve("none.sock");
        try (Sidecar sidecar = Sidecar.of(yaml("\"unix:" + out + '"', "", ""))) {
            assertThat(curl("-o", "/dev/null", "-w", "%{http_code}").good()).isEqualTo("502");
            sidecar.awaitIdle();
        }
    }

    /** Requests on a port that go to a socket. */
    @Test
    void leadsFromAPortToASocket() throws IOException {
        Path out = directory.resolve("nginx.sock");
        String yaml = yaml("\"unix:" + out + '"', "", "").replace("unix:" + file(), "127.0.0.1:0");
        try (Nginx nginx = new Nginx(directory).socket(out).start();
                Sidecar sidecar = Sidecar.of(yaml);
                RawClient client = sidecar.client()) {
            assertThat(nginx.root()).exists();
            assertThat(client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                            .response()
                            .bodyText())
                    .isEqualTo("nginx");
        }
    }
}
