package io.remora.takeover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.remora.testkit.Command;
import io.remora.testkit.SidecarProcess;
import io.remora.testkit.Sidecars;
import io.remora.testkit.SteadyLoad;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Between the hand-over and the end of a takeover either process may end, be slow, or be asked for something else. */
final class TakeoverStepsIT {
    /** Long enough for what happens meanwhile, and over by its own time. */
    private static final String SLOW = "warm-up: { requests: 100000, timeout: 4s }\n";

    private static final String HANDED_OVER = "waiting until the other process is ready";

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

    private String slow() {
        return sidecars.yaml(SLOW);
    }

    private void bothAnswer() throws IOException {
        assertThat(sidecars.ask(sidecars.port, "/").bodyText()).isEqualTo("ok");
        assertThat(sidecars.curl(sidecars.unix(), "/")).isEqualTo("ok");
    }

    private static void signal(SidecarProcess one, String name) {
        Command.run(
                        Path.of("/"),
                        "kill",
                        "-" + name,
                        Long.toString(one.process().pid()))
                .good();
    }

    private SidecarProcess handedOver(SidecarProcess running, String yaml) throws IOException {
        SidecarProcess next = sidecars.start(yaml, "--takeover");
        running.awaitLog(HANDED_OVER);
        return next;
    }

    // ---- the old process ends

    @Test
    void theOldOneIsAskedToEndMeanwhile() throws IOException {
        SidecarProcess running = sidecars.start(yaml()).awaitReady();
        try (SteadyLoad load = SteadyLoad.start(sidecars.address(), 2, 2, 20)) {
            SidecarProcess next = handedOver(running, slow());
            signal(running, "TERM");
            assertThat(running.status()).as(running.log()).isZero();
            assertThat(running.log()).contains("ending; the other process has the sockets");
            assertThat(sidecars.unix()).exists();
            next.awaitReady();
            assertThat(next.log()).contains("the former process is draining");
            bothAnswer();
            load.stop();
            assertThat(load.failures()).isEmpty();
            next.process().destroy();
            assertThat(next.status()).isZero();
        }
        assertThat(sidecars.unix()).doesNotExist();
        assertThat(sidecars.socket()).doesNotExist();
    }

    @Test
    void theOldOneIsDrainedByItsOperatorMeanwhile() throws IOException {
        SidecarProcess running = sidecars.start(yaml()).awaitReady();
        SidecarProcess next = handedOver(running, slow());
        Command.run(directory, "curl", "-s", "-X", "POST", "http://127.0.0.1:" + sidecars.adminPort + "/drain")
                .good();
        running.awaitLog("draining");
        assertThat(sidecars.unix()).exists();
        next.awaitReady();
        bothAnswer();
        assertThat(running.status()).isZero();
    }

    @Test
    void theOldOneIsKilledMeanwhile() throws IOException {
        SidecarProcess running = sidecars.start(yaml()).awaitReady();
        SidecarProcess next = handedOver(running, slow());
        signal(running, "KILL");
        next.awaitReady();
        assertThat(next.log()).contains("the former process ended");
        bothAnswer();
        next.process().destroy();
        assertThat(next.status()).isZero();
        assertThat(sidecars.unix()).doesNotExist();
    }

    // ---- the new process ends

    @Test
    void theNewOneIsAskedToEndMeanwhile() throws IOException {
        SidecarProcess running = sidecars.start(yaml()).awaitReady();
        for (String name : List.of("TERM", "KILL")) {
            SidecarProcess next = handedOver(running, slow());
            signal(next, name);
            int status = next.status();
            assertThat(status).as(next.log()).isEqualTo(name.equals("TERM") ? 0 : 137);
            if (status == 0) {
                assertThat(next.log())
                        .contains("the running process keeps its sockets")
                        .doesNotContain(" ready; admin");
            }
            running.awaitLog("the other process has ended; keeping the sockets");
            bothAnswer();
            assertThat(sidecars.ask(sidecars.adminPort, "/ready").status()).isEqualTo(200);
        }
        sidecars.start(yaml(), "--takeover").awaitReady();
        assertThat(running.status()).isZero();
        bothAnswer();
    }

    // ---- the new process is slow, or says nothing

    /** It finds out before it accepts, so that there are never two for good. */
    @Test
    void theNewOneTakesTooLong() throws IOException {
        String hasty = yaml().replace("idle: 2s", "idle: 2s, timeout: 1s");
        SidecarProcess running = sidecars.start(hasty).awaitReady();
        try (SteadyLoad load = SteadyLoad.start(sidecars.address(), 2, 2, 20)) {
            SidecarProcess next = handedOver(running, slow());
            assertThat(next.status()).as(next.log()).isEqualTo(69);
            assertThat(next.log())
                    .contains("refused it took longer than takeover.timeout")
                    .doesNotContain(" ready; admin");
            running.awaitLog("no message from the other process for 1000 ms; keeping the sockets");
            bothAnswer();
            load.stop();
            assertThat(load.failures()).isEmpty();
            assertThat(load.ended()).isZero();
        }
    }

    /** A third process is told nothing while a second one is heard, and takes nothing along. */
    @Test
    void aThirdOneWaitsInVain() throws IOException {
        SidecarProcess running = sidecars.start(yaml()).awaitReady();
        try (SocketChannel second = SocketChannel.open(UnixDomainSocketAddress.of(sidecars.socket()))) {
            second.write(ByteBuffer.wrap("remora-takeover 1\n".getBytes(StandardCharsets.US_ASCII)));
            running.awaitLog(HANDED_OVER);
            SidecarProcess third = sidecars.start(yaml(), "--takeover");
            assertThat(third.status()).as(third.log()).isEqualTo(69);
            assertThat(third.log()).contains("no message from the other process for 10000 ms");
            bothAnswer();
        }
        running.awaitLog("the other process has ended; keeping the sockets");
        sidecars.start(yaml(), "--takeover").awaitReady();
        assertThat(running.status()).isZero();
        bothAnswer();
    }

    // ---- the configuration of the old process changes

    @Test
    void aReloadWaitsForTheOutcome() throws IOException {
        Path file = Files.writeString(directory.resolve("running.yaml"), yaml());
        SidecarProcess running = sidecars.start(file).awaitReady();
        String other = yaml().replace("clusters:\n", "drain-timeout: 5s\nclusters:\n");
        try (SocketChannel second = SocketChannel.open(UnixDomainSocketAddress.of(sidecars.socket()))) {
            second.write(ByteBuffer.wrap("remora-takeover 1\n".getBytes(StandardCharsets.US_ASCII)));
            running.awaitLog(HANDED_OVER);
            Files.writeString(file, other.replace("name: file", "name: file2"));
            signal(running, "HUP");
            bothAnswer();
            assertThat(running.log()).doesNotContain("generation 2");
        }
        running.awaitLog("generation 2");
        assertThat(running.log().indexOf("keeping the sockets"))
                .isLessThan(running.log().indexOf("generation 2"));
        bothAnswer();
    }

    // ---- what goes along

    @Test
    void theOperatorsUnixSocketsGoAlong() throws IOException {
        Path admin = directory.resolve("admin.sock");
        Path health = directory.resolve("health.sock");
        String yaml = yaml().replace("127.0.0.1:" + sidecars.adminPort, "unix:" + admin)
                .replace("127.0.0.1:" + sidecars.healthPort, "unix:" + health);
        SidecarProcess running = sidecars.start(yaml).awaitReady();
        for (int i = 0; i < 3; i++) {
            SidecarProcess next = sidecars.start(yaml, "--takeover").awaitReady();
            assertThat(running.status()).as(running.log()).isZero();
            assertThat(sidecars.curl(admin, "/ready")).contains("ready");
            assertThat(sidecars.curl(health, "/ready")).contains("ready");
            running = next;
        }
        // one that fails leaves them where they are
        String taken =
                "  - { name: more, address: \"127.0.0.1:" + sidecars.backend.port() + "\", cluster: app }\nclusters:\n";
        assertThat(sidecars.start(yaml.replace("clusters:\n", taken), "--takeover")
                        .status())
                .isEqualTo(69);
        assertThat(sidecars.curl(admin, "/ready")).contains("ready");
        running.process().destroy();
        assertThat(running.status()).isZero();
        assertThat(admin).doesNotExist();
        assertThat(health).doesNotExist();
    }

    @Test
    void aFileGetsTheModeOfTheNewConfiguration() throws IOException {
        SidecarProcess running = sidecars.start(yaml()).awaitReady();
        String other = yaml().replace(
                        "unix:" + sidecars.unix() + "\"", "unix:" + sidecars.unix() + "\", socket: { mode: \"0606\" }");
        sidecars.start(other, "--takeover").awaitLog("takeover: ready for another process");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(sidecars.unix())))
                .isEqualTo("rw----rw-");
        assertThat(running.status()).isZero();
        bothAnswer();
    }

    // ---- whose memory it is

    private SidecarProcess limited(String peak, List<String> before, Path limit, String... arguments)
            throws IOException {
        List<String> jvm = List.of(
                "-Dremora.limit=" + (100 << 20),
                "-Dremora.limit.from=" + limit,
                "-Dremora.peak=" + peak,
                "-Xmx32m",
                "-XX:MaxDirectMemorySize=8m");
        List<String> command = new ArrayList<>(before);
        command.addAll(sidecars.command(yaml(), jvm, arguments));
        return sidecars.start(Map.of(), command);
    }

    /** As two containers do that call the cgroup of each its own, and one cgroup that is seen at two places. */
    @Test
    void theLimitIsKnownByWhatItIs() throws IOException {
        Path limit = Files.createDirectory(directory.resolve("a")).resolve("memory.max");
        Files.writeString(limit, "104857600");
        Path other = Files.createDirectory(directory.resolve("b")).resolve("memory.max");
        Files.writeString(other, "104857600");
        Path same = Files.createSymbolicLink(directory.resolve("c"), directory.resolve("a"))
                .resolve("memory.max");
        SidecarProcess running = limited("41943040", List.of(), limit).awaitReady();
        SidecarProcess refused = limited("62914560", List.of(), same, "--takeover");
        assertThat(refused.status()).as(refused.log()).isEqualTo(78);
        assertThat(refused.log()).contains("too much for both");
        bothAnswer();

        assumeTrue(Command.run(directory, "unshare", "--mount", "true").status() == 0, "no mounts of its own");
        List<String> elsewhere = List.of(
                "unshare", "--mount", "sh", "-c", "mount --bind " + other + " " + limit + " && exec \"$@\"", "sh");
        SidecarProcess next =
                limited("62914560", elsewhere, limit, "--takeover").awaitReady();
        assertThat(running.status()).as(running.log()).isZero();
        assertThat(next.process().isAlive()).isTrue();
        bothAnswer();
    }

    // ---- which library it is

    @Test
    void aLibraryOfAnotherVersionIsNotUsed() throws IOException, InterruptedException {
        Path old = Files.createDirectory(directory.resolve("old"));
        Path source = Files.writeString(old.resolve("old.c"), """
            void Java_io_remora_memory_NativePages_drop(void *env, void *type) {}
            void Java_io_remora_memory_NativePages_trim(void *env, void *type) {}
            """);
        Command.run(
                        directory,
                        "gcc",
                        "-shared",
                        "-fPIC",
                        "-w",
                        "-o",
                        old.resolve("libremora.so").toString(),
                        source.toString())
                .good();
        List<String> jvm = List.of("-Djava.library.path=" + old);
        SidecarProcess refused = sidecars.start(Map.of(), sidecars.command(yaml(), jvm));
        assertThat(refused.status()).isEqualTo(64);
        assertThat(refused.log()).contains("takeover is not supported").contains("is of another version than this jar");
        String without = yaml().replaceFirst("takeover: .*\n", "");
        SidecarProcess serving = sidecars.start(Map.of(), sidecars.command(without, jvm))
                .awaitLog("version of libremora.so differs from the jar; running without it")
                .awaitLog(" ready; admin on");
        bothAnswer();
        serving.process().destroy();
        assertThat(serving.process().waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(serving.process().exitValue()).as(serving.log()).isZero();
    }
}
