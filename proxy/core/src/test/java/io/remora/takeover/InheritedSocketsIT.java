package io.remora.takeover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.remora.testkit.Await;
import io.remora.testkit.Command;
import io.remora.testkit.FreePort;
import io.remora.testkit.SidecarProcess;
import io.remora.testkit.Sidecars;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sockets that a service manager has opened, and what it is told, with a small one in its place. */
final class InheritedSocketsIT {
    /** Less than the warm-ups of these tests take. */
    private static final int WARM_UP_MS = 30_000;

    /** Opens a socket for each address given, and becomes the command, as systemd does. */
    private static final String OPEN = """
            import os, socket, sys
            addresses, names = sys.argv[1].split(","), sys.argv[2]
            for at, address in enumerate(addresses):
                if address.startswith("/"):
                    one = socket.socket(socket.AF_UNIX); one.bind(address)
                else:
                    host, port = address.rsplit(":", 1)
                    one = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
                    one.bind((host, int(port)))
                one.listen(16) if "-quiet" not in names else None
                fd = one.detach()
                os.dup2(fd, 100 + at); os.close(fd)
            for at in range(len(addresses)):
                os.dup2(100 + at, 3 + at, inheritable=True); os.close(100 + at)
            os.environ["LISTEN_FDS"] = str(len(addresses))
            os.environ["LISTEN_FDNAMES"] = names
            os.environ["LISTEN_PID"] = str(os.getpid())
            os.execv(sys.argv[3], sys.argv[3:])
            """;

    /** Prints what it is told, one datagram a line. */
    private static final String HEAR = """
            import socket, sys
            one = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            name = sys.argv[1]
            one.bind("\\0" + name[1:] if name.startswith("@") else name)
            print("bound", flush=True)
            while True:
                print(one.recv(4096).decode().replace("\\n", ";"), flush=True)
            """;

    @TempDir
    Path directory;

    @AutoClose
    private Sidecars sidecars;

    @BeforeEach
    void start() throws IOException {
        assumeTrue(Command.run(directory, "sh", "-c", "command -v python3").status() == 0, "no python3");
        sidecars = new Sidecars(directory);
    }

    private String yaml(String address) {
        return sidecars.yaml("").replaceFirst("takeover: .*\n", "").replace("127.0.0.1:" + sidecars.port, address);
    }

    private List<String> opened(String addresses, String names, String yaml, String... jvm) throws IOException {
        List<String> command = new ArrayList<>(List.of("python3"));
        command.add(Files.writeString(directory.resolve("open.py"), OPEN).toString());
        command.addAll(List.of(addresses, names));
        command.addAll(sidecars.command(yaml, List.of(jvm)));
        return command;
    }

    /** Found by their addresses, whatever they are called; the file of a Unix socket stays the manager's. */
    @Test
    void areFoundByTheirAddresses() throws IOException {
        String addresses = "127.0.0.1:" + sidecars.healthPort + "," + sidecars.unix() + ",127.0.0.1:" + sidecars.port
                + ",127.0.0.1:" + sidecars.adminPort;
        SidecarProcess one = sidecars.start(Map.of(), opened(addresses, "a:b:c:d", yaml("127.0.0.1:" + sidecars.port)))
                .awaitLog(" ready; admin on");
        assertThat(one.log()).doesNotContain("inherited a socket without a listener");
        assertThat(sidecars.ask(sidecars.port, "/").bodyText()).isEqualTo("ok");
        assertThat(sidecars.ask(sidecars.healthPort, "/ready").status()).isEqualTo(200);
        assertThat(sidecars.ask(sidecars.adminPort, "/live").status()).isEqualTo(200);
        assertThat(sidecars.curl(sidecars.unix(), "/")).isEqualTo("ok");
        one.process().destroy();
        assertThat(one.status()).isZero();
        assertThat(Files.exists(sidecars.unix())).isTrue();
    }

    /** On IPv6, for a listener on any address, and by name where the address says nothing; one that nobody wants is told of. */
    @Test
    void areFoundByNameAndOnAnyAddress() throws IOException {
        int other = FreePort.next();
        String addresses = ":::" + sidecars.port + ",127.0.0.1:" + other + ",127.0.0.1:" + FreePort.next();
        String yaml = yaml("[::]:" + sidecars.port)
                .replace("clusters:\n", "  - { name: named, address: \"127.0.0.1:0\", cluster: app }\nclusters:\n");
        SidecarProcess one = sidecars.start(Map.of(), opened(addresses, "x:named:spare", yaml))
                .awaitLog("takeover: inherited a socket without a listener; closing it: spare");
        assertThat(one.log()).contains("listener named on 127.0.0.1:" + other);
        assertThat(sidecars.ask(sidecars.port, "/").bodyText()).isEqualTo("ok");
        assertThat(sidecars.ask(other, "/").bodyText()).isEqualTo("ok");
    }

    @Test
    void areRefusedWhereTheyCannotBeListenedOn() throws IOException {
        String yaml = yaml("127.0.0.1:" + sidecars.port);
        SidecarProcess quiet = sidecars.start(Map.of(), opened("127.0.0.1:" + sidecars.port, "a-quiet", yaml));
        assertThat(quiet.status()).isEqualTo(69);
        assertThat(quiet.log()).contains("descriptor 3").contains("no socket that is listened on");
        SidecarProcess bare = sidecars.start(
                Map.of(), opened("127.0.0.1:" + sidecars.port, "a", yaml, "-Djava.library.path=/nonexistent"));
        assertThat(bare.status()).isEqualTo(69);
        assertThat(bare.log()).contains("LISTEN_FDS is set").contains("libremora.so");
        Map<String, String> anothers = Map.of("LISTEN_FDS", "1", "LISTEN_PID", "1");
        sidecars.start(anothers, sidecars.command(yaml, List.of())).awaitLog(" ready; admin on");
    }

    // ---- what the manager is told

    private static Process manager(String name, Path heard) throws IOException {
        return new ProcessBuilder("python3", "-c", HEAR, name)
                .redirectOutput(heard.toFile())
                .redirectErrorStream(true)
                .start();
    }

    @Test
    void tellTheManagerHowItIs() throws Exception {
        for (String name : List.of(directory.resolve("notify").toString(), "@remora-" + sidecars.port)) {
            Path heard = Files.createTempFile(directory, "heard", ".txt");
            Process manager = manager(name, heard);
            try {
                awaitText(heard, "bound");
                String yaml = yaml("127.0.0.1:" + sidecars.port);
                SidecarProcess one = sidecars.start(Map.of("NOTIFY_SOCKET", name), sidecars.command(yaml, List.of()));
                awaitText(heard, "MAINPID=" + one.process().pid() + ";READY=1;");
                assertThat(Files.readString(heard)).doesNotContain("STOPPING");
                assertThat(sidecars.ask(sidecars.port, "/").bodyText()).isEqualTo("ok");
                one.process().destroy();
                awaitText(heard, "STOPPING=1;");
                assertThat(one.status()).isZero();
                assertThat(one.log()).doesNotContain("NOTIFY_SOCKET");
            } finally {
                manager.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
            }
        }
    }

    /** The manager follows the process that serves, and hears of no end while one does. */
    @Test
    void tellTheManagerWhoServesAfterATakeover() throws Exception {
        String name = "@remora-" + sidecars.port;
        Path heard = Files.createTempFile(directory, "heard", ".txt");
        Process manager = manager(name, heard);
        try {
            awaitText(heard, "bound");
            Map<String, String> environment = Map.of("NOTIFY_SOCKET", name);
            String yaml = sidecars.yaml("");
            SidecarProcess old = sidecars.start(environment, sidecars.command(yaml, List.of()));
            awaitText(heard, "MAINPID=" + old.process().pid() + ";READY=1;");
            String slow = sidecars.yaml("warm-up: { requests: 100000, timeout: 50s }\n");
            SidecarProcess given = sidecars.start(environment, sidecars.command(slow, List.of(), "--takeover"));
            old.awaitLog("waiting until the other process is ready");
            given.process().destroy();
            assertThat(given.status()).isZero();
            SidecarProcess next = sidecars.start(environment, sidecars.command(yaml, List.of(), "--takeover"));
            awaitText(heard, "MAINPID=" + next.process().pid() + ";READY=1;");
            assertThat(old.status()).as(old.log()).isZero();
            assertThat(Files.readString(heard))
                    .doesNotContain("STOPPING")
                    .doesNotContain("MAINPID=" + given.process().pid());
            next.process().destroy();
            awaitText(heard, "STOPPING=1;");
            assertThat(next.status()).isZero();
        } finally {
            manager.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
        }
    }

    /** A signal during the warm-up, even while one of its requests waits for a silent endpoint: the end, and no word of readiness. */
    @Test
    void tellTheManagerOfAnEndBeforeTheyAreReady() throws Exception {
        endsBeforeItIsReady("requests: 100000", () -> true);
        sidecars.backend.neverAnswer();
        endsBeforeItIsReady(
                "requests: 1, gets: [{ path: /a, listener: test }]", () -> sidecars.backend.received().length > 0);
    }

    private void endsBeforeItIsReady(String warmUp, BooleanSupplier underWay) throws Exception {
        Path heard = Files.createTempFile(directory, "heard", ".txt");
        String name = heard + ".sock";
        Process manager = manager(name, heard);
        try {
            awaitText(heard, "bound");
            String yaml = sidecars.yaml("warm-up: { timeout: 50s, " + warmUp + " }\n");
            SidecarProcess one = sidecars.start(Map.of("NOTIFY_SOCKET", name), sidecars.command(yaml, List.of()));
            boolean warms = Await.within(WARM_UP_MS, () -> ready().equals("503") && underWay.getAsBoolean());
            assertThat(warms).as(one.log()).isTrue();
            one.process().destroy();
            awaitText(heard, "STOPPING=1;");
            assertThat(one.status()).as(one.log()).isZero();
            assertThat(one.log())
                    .doesNotContain(" ready;")
                    .doesNotContain("WARN warm-up")
                    .contains("start: end requested during the start; ending without becoming ready")
                    .contains("stopped");
            assertThat(Files.readString(heard)).doesNotContain("READY");
        } finally {
            manager.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
        }
    }

    /** The status of /ready, 000 where nobody listens. */
    private String ready() {
        String url = "http://127.0.0.1:" + sidecars.adminPort + "/ready";
        return Command.run(directory, "curl", "-s", "-o", "ready.txt", "-w", "%{http_code}", url)
                .output();
    }

    @Test
    void warnOnceWithoutTheLibrary() throws IOException {
        List<String> command =
                sidecars.command(yaml("127.0.0.1:" + sidecars.port), List.of("-Djava.library.path=/nonexistent"));
        SidecarProcess one = sidecars.start(Map.of("NOTIFY_SOCKET", "@nobody"), command)
                .awaitLog("NOTIFY_SOCKET: libremora.so is needed");
        one.process().destroy();
        assertThat(one.status()).isZero();
        assertThat(one.log().split("NOTIFY_SOCKET", -1)).hasSize(2);
    }

    private static void awaitText(Path file, String text) {
        Await.until(text, () -> {
            try {
                return Files.readString(file).contains(text);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
    }
}
