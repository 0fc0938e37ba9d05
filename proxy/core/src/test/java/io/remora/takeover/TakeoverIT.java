package io.remora.takeover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.remora.seams.Examples;
import io.remora.testkit.Await;
import io.remora.testkit.Command;
import io.remora.testkit.EveryEngine;
import io.remora.testkit.RawClient;
import io.remora.testkit.SidecarProcess;
import io.remora.testkit.Sidecars;
import io.remora.testkit.SteadyLoad;
import io.remora.testkit.TestEngine;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One process takes over from another, under load, and what becomes of it where one of them fails. */
@EveryEngine
final class TakeoverIT {
    /** One in root's own directory is nothing that another user can run. */
    private static final String PYTHON = "/usr/bin/python3";

    private static final int TAKEOVERS = Integer.getInteger("remora.test.takeovers", 10);

    @TempDir
    Path directory;

    @AutoClose
    private Sidecars sidecars;

    @BeforeEach
    void start() throws IOException {
        sidecars = new Sidecars(directory);
    }

    private String yaml() {
        return sidecars.yaml("");
    }

    private String askFile() throws IOException {
        try (SocketChannel client = SocketChannel.open(UnixDomainSocketAddress.of(sidecars.unix()))) {
            client.write(ByteBuffer.wrap(
                    "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".getBytes(StandardCharsets.US_ASCII)));
            ByteBuffer read = ByteBuffer.allocate(4_096);
            while (client.read(read) >= 0) {
                assertThat(read.hasRemaining()).isTrue();
            }
            return new String(read.array(), 0, read.position(), StandardCharsets.US_ASCII);
        }
    }

    @Test
    void losesNothingUnderLoad() throws IOException {
        Path access = directory.resolve("access.log");
        String yaml = sidecars.yaml("access-log: { output: " + access + ", queue: 100000 }\n");
        SidecarProcess running = sidecars.start(yaml).awaitReady();
        long done;
        try (SteadyLoad load = SteadyLoad.start(sidecars.address(), 8, 4, 85)) {
            for (int i = 0; i < TAKEOVERS; i++) {
                SidecarProcess next = sidecars.start(yaml, "--takeover").awaitReady();
                next.awaitLog("the former process is draining");
                assertThat(running.status()).as(running.log()).isZero();
                assertThat(running.log())
                        .contains("stopped")
                        .doesNotContain("ERROR")
                        .doesNotContain("WARN takeover");
                assertThat(askFile()).contains("200 OK");
                assertThat(sidecars.ask(sidecars.healthPort, "/ready").status()).isEqualTo(200);
                assertThat(sidecars.ask(sidecars.adminPort, "/ready").status()).isEqualTo(200);
                running = next;
            }
            load.stop();
            done = load.done();
            assertThat(load.failures()).isEmpty();
            assertThat(load.ended()).as("kept connections that were ended").isGreaterThanOrEqualTo(8L * TAKEOVERS);
        }
        running.process().destroy();
        assertThat(running.status()).as(running.log()).isZero();
        assertThat(Files.exists(sidecars.unix())).isFalse();
        assertThat(Files.exists(sidecars.socket())).isFalse();
        assertThat(Files.readAllLines(access)).as("one log").hasSize((int) done + TAKEOVERS);
        System.out.println(TAKEOVERS + " takeovers, " + done + " requests, no failure");
    }

    @Test
    void changesNothingWhereTheNewOneFails() throws IOException {
        SidecarProcess running = sidecars.start(yaml()).awaitReady();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(sidecars.socket())))
                .isEqualTo("rw-------");
        String taken =
                "  - { name: more, address: \"127.0.0.1:" + sidecars.backend.port() + "\", cluster: app }\nclusters:\n";
        try (SteadyLoad load = SteadyLoad.start(sidecars.address(), 4, 2, 50)) {
            for (int i = 0; i < 3; i++) {
                // which cannot be bound, after the others have been taken over
                SidecarProcess failing = sidecars.start(yaml().replace("clusters:\n", taken), "--takeover");
                assertThat(failing.status()).as(failing.log()).isEqualTo(69);
                assertThat(askFile()).contains("200 OK");
            }
            Await.until(
                    "told",
                    () -> running.log().split("the other process has ended; keeping the sockets", -1).length == 4);
            assertThat(sidecars.ask(sidecars.adminPort, "/ready").status()).isEqualTo(200);
            load.stop();
            assertThat(load.failures()).isEmpty();
            assertThat(load.ended()).isZero();
        }
        assertThat(running.process().isAlive()).isTrue();
        SidecarProcess next = sidecars.start(yaml(), "--takeover").awaitReady();
        assertThat(running.status()).isZero();
        assertThat(next.process().isAlive()).isTrue();
    }

    @Test
    void letsAnExchangeFinish() throws IOException {
        SidecarProcess running = sidecars.start(yaml()).awaitReady();
        try (RawClient slow = RawClient.connect(sidecars.address())) {
            slow.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n12");
            Await.until("at the backend", () -> !sidecars.backend.connections().isEmpty());
            SidecarProcess next = sidecars.start(yaml(), "--takeover").awaitReady();
            next.awaitLog("the former process is draining");
            assertThat(running.process().isAlive()).isTrue();
            slow.send("34");
            assertThat(slow.response().bodyText()).isEqualTo("ok");
        }
        assertThat(running.status()).as(running.log()).isZero();
    }

    @Test
    void isRefusedWhereTheMemoryIsTooLittle() throws IOException {
        assumeFalse(TestEngine.isFinagle(), "it has a larger heap");
        List<String> limit =
                List.of("-Dremora.limit=" + (100 << 20), "-Dremora.limit.from=/sys/fs/cgroup/memory.max", "-Xmx32m");
        List<String> small = List.of("-Dremora.peak=" + (40 << 20), "-XX:MaxDirectMemorySize=8m");
        List<String> jvm =
                java.util.stream.Stream.concat(limit.stream(), small.stream()).toList();
        SidecarProcess running =
                sidecars.start(Map.of(), sidecars.command(yaml(), jvm)).awaitReady();
        List<String> large = java.util.stream.Stream.concat(
                        limit.stream(),
                        java.util.stream.Stream.of("-Dremora.peak=" + (60 << 20), "-XX:MaxDirectMemorySize=8m"))
                .toList();
        SidecarProcess refused = sidecars.start(Map.of(), sidecars.command(yaml(), large, "--takeover"));
        assertThat(refused.status()).as(refused.log()).isEqualTo(78);
        assertThat(refused.log()).contains("too much for both").contains("/sys/fs/cgroup/memory.max");
        running.awaitLog("keeping the sockets");
        assertThat(askFile()).contains("200 OK");
    }

    @Test
    void startsWhereNobodyIsLeft() throws IOException {
        SidecarProcess first = sidecars.start(yaml(), "--takeover").awaitReady();
        assertThat(first.log()).contains("no process to take over from");
        first.process().destroyForcibly();
        first.status();
        assertThat(Files.exists(sidecars.socket())).as("stale").isTrue();
        SidecarProcess next = sidecars.start(yaml(), "--takeover").awaitReady();
        assertThat(next.log()).contains("takeover: stale socket; starting without a takeover");
        assertThat(askFile()).contains("200 OK");
        SidecarProcess third = sidecars.start(yaml(), "--takeover").awaitReady();
        assertThat(next.status()).isZero();
        assertThat(third.process().isAlive()).isTrue();
    }

    @Test
    void isRefusedAmongVersions() throws IOException {
        try (ServerSocketChannel other = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            other.bind(UnixDomainSocketAddress.of(sidecars.socket()));
            SidecarProcess refused = sidecars.start(yaml(), "--takeover");
            try (SocketChannel asked = other.accept()) {
                asked.write(ByteBuffer.wrap("remora-takeover 2 0 \n".getBytes(StandardCharsets.US_ASCII)));
                assertThat(refused.status()).as(refused.log()).isEqualTo(69);
            }
            assertThat(refused.log()).contains("uses protocol remora-takeover 2");
        }
        Files.delete(sidecars.socket());
        SidecarProcess running = sidecars.start(yaml()).awaitReady();
        try (SocketChannel asking = SocketChannel.open(UnixDomainSocketAddress.of(sidecars.socket()))) {
            asking.write(ByteBuffer.wrap("remora-takeover 2\n".getBytes(StandardCharsets.US_ASCII)));
            ByteBuffer answer = ByteBuffer.allocate(512);
            while (asking.read(answer) >= 0) {
                assertThat(answer.hasRemaining()).isTrue();
            }
            assertThat(new String(answer.array(), 0, answer.position(), StandardCharsets.US_ASCII))
                    .isEqualTo("refused it uses protocol remora-takeover 2, and this process remora-takeover 1\n");
        }
        running.awaitLog("refused");
        assertThat(askFile()).contains("200 OK");
    }

    @Test
    void needsItsKeyAndItsLibrary() throws IOException {
        String without = yaml().replaceFirst("takeover: .*\n", "");
        SidecarProcess refused = sidecars.start(without, "--takeover");
        assertThat(refused.status()).isEqualTo(64);
        assertThat(refused.log()).contains("--takeover without takeover.socket");
        SidecarProcess bare = sidecars.start(
                Map.of(), sidecars.command(yaml(), List.of("-Djava.library.path=/nonexistent"), "--takeover"));
        assertThat(bare.status()).isEqualTo(64);
        assertThat(bare.log()).contains("takeover is not supported").contains("libremora.so");
    }

    /** {@code examples/takeover.yaml}, as it is run. */
    @Test
    void theExampleTakesOver() throws IOException {
        Map<String, String> environment = Map.of(
                "RUN_DIR", directory.toString(),
                "ADMIN_PORT", Integer.toString(sidecars.adminPort),
                "PORT", Integer.toString(sidecars.port),
                "APP_PORT", Integer.toString(sidecars.backend.port()));
        String yaml = Examples.with("takeover.yaml");
        SidecarProcess running =
                sidecars.start(environment, sidecars.command(yaml, List.of())).awaitReady();
        assertThat(running.log()).contains("warm-up: 2020 requests in ");
        assertThat(sidecars.backend.requests()).hasSize(20);
        sidecars.start(environment, sidecars.command(yaml, List.of(), "--takeover"))
                .awaitReady()
                .awaitLog("the former process is draining");
        assertThat(running.status()).as(running.log()).isZero();
        assertThat(sidecars.ask(sidecars.port, "/").bodyText()).isEqualTo("ok");
        assertThat(sidecars.backend.requests()).hasSize(41);
    }

    @Test
    void isOfTheSameUserOnly() throws IOException {
        org.junit.jupiter.api.Assumptions.assumeTrue(
                Command.run(directory, "sh", "-c", "command -v setpriv && [ $(id -u) = 0 ] && [ -x " + PYTHON + " ]")
                                .status()
                        == 0,
                "not root, or no Python for others");
        SidecarProcess running = sidecars.start(yaml()).awaitReady();
        Files.setPosixFilePermissions(sidecars.socket(), PosixFilePermissions.fromString("rwxrwxrwx"));
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
        String ask = """
            import socket
            s = socket.socket(socket.AF_UNIX)
            s.connect("SOCKET")
            try:
                s.send(b"remora-takeover 1\\n")
                print(len(s.recv(100)), "octets")
            except OSError:
                print("0 octets")
            """.replace("SOCKET", sidecars.socket().toString());
        Command answer =
                Command.run(directory, "setpriv", "--reuid=4711", "--regid=4711", "--clear-groups", PYTHON, "-c", ask);
        assertThat(answer.output()).isEqualTo("0 octets\n");
        running.awaitLog("a process of another user");
        assertThat(askFile()).contains("200 OK");
    }
}
