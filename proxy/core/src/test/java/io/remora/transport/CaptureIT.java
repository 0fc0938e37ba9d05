package io.remora.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.remora.testkit.Await;
import io.remora.testkit.Command;
import io.remora.testkit.Contract;
import io.remora.testkit.NativeLibrary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Connections that the kernel redirects: a sidecar in a network namespace with rules by {@code scripts/capture}, and a second namespace,
 * on another end of a cable, where its peers are. Skipped where there is no right or no program for that.
 */
@Contract
final class CaptureIT {
    private static final String UID = "4711";
    private static final Path ROOT = Path.of("..", "..").toAbsolutePath().normalize();
    private static final String SERVER = """
            import http.server, socket, sys, time
            class Server(http.server.ThreadingHTTPServer):
                address_family = socket.AF_INET6
            class Handler(http.server.BaseHTTPRequestHandler):
                protocol_version = "HTTP/1.1"
                def do_GET(self):
                    if self.path == "/later":
                        time.sleep(30)
                    body = ("served by %s port %d\\n" % self.connection.getsockname()[:2]).encode()
                    self.send_response(200)
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)
            Server(("::", int(sys.argv[1])), Handler).serve_forever()
            """;

    @TempDir
    Path directory;

    private final List<Process> processes = new ArrayList<>();
    private final String inside = "remora-in-" + ProcessHandle.current().pid();
    private final String outside = "remora-out-" + ProcessHandle.current().pid();

    private Command run(String... command) {
        return Command.run(directory, command);
    }

    private Command in(String namespace, String... command) {
        List<String> words = new ArrayList<>(List.of("ip", "netns", "exec", namespace));
        words.addAll(List.of(command));
        return run(words.toArray(new String[0]));
    }

    @BeforeEach
    void lay() throws IOException {
        for (String program : List.of("ip", "nft", "gcc", "setpriv", "python3", "curl")) {
            assumeTrue(
                    Command.run(directory, "sh", "-c", "command -v " + program).status() == 0, "no " + program);
        }
        assumeTrue(run("ip", "netns", "add", inside).status() == 0, "no right to make a network namespace");
        run("ip", "netns", "add", outside).good();
        run("ip", "link", "add", "eth0", "netns", inside, "type", "veth", "peer", "name", "eth0", "netns", outside)
                .good();
        addresses(inside, 1);
        addresses(outside, 2);
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        NativeLibrary.into(directory);
        Path server = Files.writeString(directory.resolve("server.py"), SERVER);
        for (String namespace : List.of(inside, outside)) {
            start(namespace + ".txt", namespace, "python3", server.toString(), "8080");
            start(namespace + "2.txt", namespace, "python3", server.toString(), "8081");
        }
        // by both families, as neighbours that do not know each other yet may take longer than a connection is waited
        // for
        for (String port : List.of("8080", "8081")) {
            for (String number : List.of("10.9.0.", "[fd09::")) {
                String end = number.startsWith("[") ? "]:" : ":";
                Await.until(
                        "servers",
                        () -> in(inside, "curl", "-sg", "http://" + number + 2 + end + port)
                                                .status()
                                        == 0
                                && in(outside, "curl", "-sg", "http://" + number + 1 + end + port)
                                                .status()
                                        == 0);
            }
        }
    }

    private void addresses(String namespace, int number) {
        in(namespace, "ip", "link", "set", "lo", "up").good();
        in(namespace, "ip", "address", "add", "10.9.0." + number + "/24", "dev", "eth0")
                .good();
        in(namespace, "ip", "address", "add", "fd09::" + number + "/64", "dev", "eth0", "nodad")
                .good();
        in(namespace, "ip", "link", "set", "eth0", "up").good();
    }

    private Process start(String output, String namespace, String... command) throws IOException {
        List<String> words = new ArrayList<>(List.of("ip", "netns", "exec", namespace));
        words.addAll(List.of(command));
        Process process = new ProcessBuilder(words)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve(output).toFile())
                .start();
        processes.add(process);
        return process;
    }

    @AfterEach
    void remove() throws InterruptedException {
        for (Process process : processes) {
            process.destroy();
            if (!process.waitFor(20, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        }
        run("ip", "netns", "delete", inside);
        run("ip", "netns", "delete", outside);
    }

    private Command capture(String... arguments) {
        List<String> words =
                new ArrayList<>(List.of(ROOT.resolve("scripts/capture").toString()));
        words.addAll(List.of(arguments));
        return in(inside, words.toArray(new String[0]));
    }

    private static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    private static String jar() {
        return Path.of("target", "remora.jar").toAbsolutePath().toString();
    }

    /** The example of docs/capture.md, with what a test changes of it. */
    private Path config(String listener, String cluster) throws IOException {
        String text = Files.readString(ROOT.resolve("examples/capture.yaml"));
        text = text.replace("    cluster: original\n", "    cluster: original\n" + listener.indent(4));
        return Files.writeString(
                directory.resolve("sidecar.yaml"), text + cluster.indent(cluster.startsWith("tunnels:") ? 2 : 4));
    }

    private void start(String listener, String cluster) throws IOException {
        Path config = config(listener, cluster);
        Process sidecar = start(
                "sidecar.txt",
                inside,
                "setpriv",
                "--reuid=" + UID,
                "--regid=" + UID,
                "--clear-groups",
                java(),
                "-Xmx64m",
                "-Djava.library.path=" + directory,
                "-jar",
                jar(),
                "run",
                "--config",
                config.toString());
        Await.until("ready", () -> {
            assertThat(sidecar.isAlive()).as(text("sidecar.txt")).isTrue();
            return text("sidecar.txt").contains(" ready");
        });
        Command up = capture("up", "--uid", UID, "--inbound", "15006", "--outbound", "15001", "--except", "9901");
        assumeTrue(up.status() != 69, up.output());
        assertThat(up.status()).as(up.output()).isZero();
    }

    private String text(String file) {
        return run("cat", file).output();
    }

    private String metric(String name) {
        return in(inside, "sh", "-c", "curl -s http://127.0.0.1:9901/metrics | grep '" + name + "'")
                .output();
    }

    // ---- where connections go

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "in | 10.9.0.2 | 10.9.0.2 | ''",
                "in | [fd09::2] | fd09::2 | ''",
                "out | 10.9.0.1 | 10.9.0.1 | ''",
                "out | [fd09::1] | fd09::1 | ''",
                "in | 10.9.0.2 | 10.9.0.2 | 'protocol: auto'",
            })
    void isWhereTheyWereToGo(String from, String host, String address, String listener) throws IOException {
        start(listener, "");
        String namespace = from.equals("in") ? inside : outside;
        for (int port = 8080; port <= 8081; port++) {
            String http2 = listener.isEmpty() ? "--http1.1" : "--http2-prior-knowledge";
            String answer = in(namespace, "curl", "-sig", http2, "http://" + host + ":" + port + "/")
                    .good();
            assertThat(answer).contains("200").contains(address + " port " + port);
            assertThat(answer.toLowerCase(java.util.Locale.ROOT))
                    .as("through the sidecar")
                    .contains("via: 1.1 remora");
        }
    }

    @Test
    void isWhereTunnelsWereToGo() throws IOException {
        start("protocol: tcp", "protocol: tcp");
        assertThat(in(inside, "curl", "-s", "http://10.9.0.2:8081/").good()).contains("10.9.0.2 port 8081");
        assertThat(in(outside, "curl", "-s", "http://10.9.0.1:8080/").good()).contains("10.9.0.1 port 8080");
        assertThat(metric("remora_backend_connections_opened_total")).contains("10.9.0.2:8081", "10.9.0.1:8080");
    }

    /** On one captured port: requests, and a server that speaks first. */
    @Test
    void isFoundOutWithWhatIsSpoken() throws IOException {
        start("protocol: detect\ndetect: { cluster: tunnels, timeout: 300ms }", """
                tunnels:
                  protocol: tcp
                  original-destination: {}
                """);
        String greeter = "import socket\ns=socket.create_server(('10.9.0.2',2525))\n"
                + "while 1:\n c,_=s.accept();c.sendall(b'220 ready\\r\\n');c.close()";
        start("greeter.txt", outside, "python3", "-c", greeter);
        for (String version : List.of("--http1.1", "--http2-prior-knowledge")) {
            String answer =
                    in(inside, "curl", "-si", version, "http://10.9.0.2:8080/").good();
            assertThat(answer).contains("10.9.0.2 port 8080").containsIgnoringCase("via: 1.1 remora");
        }
        Await.until("greeted through the sidecar", () -> in(
                        inside,
                        "python3",
                        "-c",
                        "import socket;print(socket.create_connection(('10.9.0.2',2525)).recv(99))")
                .output()
                .contains("220 ready"));
        assertThat(metric("remora_backend_connections_opened_total")).contains("10.9.0.2:8080", "10.9.0.2:2525");
    }

    /** One place at a time is known, and the one before makes room. */
    @Test
    void areForgottenWhereAnotherNeedsTheirPlace() throws IOException {
        start("", "");
        String yaml = Files.readString(directory.resolve("sidecar.yaml"));
        assertThat(yaml).contains("destinations: 2");
        for (int i = 0; i < 2; i++) {
            for (String to : List.of("10.9.0.2:8080", "10.9.0.2:8081", "[fd09::2]:8080")) {
                in(inside, "curl", "-sg", "http://" + to + "/").good();
            }
        }
        assertThat(metric("remora_backend_connections_opened_total")).doesNotContain("10.9.0.2:8080");
        // nobody uses any for as long as they are known
        Await.until("none is known", () -> metric("^remora_backend_connections_opened_total")
                .isEmpty());
    }

    /** Destinations that are in use and have answered before make room for nobody. */
    @Test
    void areNoMoreThanTheirBound() throws IOException {
        start("", "");
        for (String to : List.of("10.9.0.2:8080", "10.9.0.2:8081")) {
            assertThat(in(inside, "curl", "-si", "http://" + to + "/").good()).contains("200");
            start("later.txt", inside, "curl", "-s", "http://" + to + "/later");
        }
        awaitBothInUse();
        String refused = in(inside, "curl", "-sig", "http://[fd09::2]:8080/").good();
        assertThat(refused).contains("503").contains("too-many-destinations");
        assertThat(in(inside, "curl", "-si", "http://10.9.0.2:8080/").good()).contains("200");
        assertThat(metric("remora_failures_total.*too-many-destinations")).contains(" 1");
    }

    /** A destination that has never answered makes room although it is in use: silent ones must not refuse others. */
    @Test
    void makeRoomUntilTheyHaveAnswered() throws IOException {
        start("", "");
        for (String to : List.of("10.9.0.2:8080", "10.9.0.2:8081")) {
            start("later.txt", inside, "curl", "-s", "http://" + to + "/later");
        }
        awaitBothInUse();
        assertThat(in(inside, "curl", "-sig", "http://[fd09::2]:8080/").good()).contains("200");
        assertThat(metric("remora_failures_total.*too-many-destinations").lines())
                .isNotEmpty()
                .allMatch(line -> line.endsWith(" 0"));
    }

    private void awaitBothInUse() {
        Await.until(
                "both are in use",
                () -> metric("^remora_backend_exchanges_in_flight")
                                .lines()
                                .filter(line -> line.endsWith(" 1"))
                                .count()
                        == 2);
    }

    /** Requests that one destination does not answer refuse nothing to another, within the bound on all of them. */
    @Test
    void haveBoundsOfTheirOwn() throws IOException {
        start("", "breakers: { in-flight: 1 }");
        start("later.txt", inside, "curl", "-s", "http://10.9.0.2:8080/later");
        Await.until("it is in use", () -> metric("^remora_backend_exchanges_in_flight.*8080")
                .contains(" 1"));
        assertThat(in(inside, "curl", "-si", "http://10.9.0.2:8080/").good())
                .contains("503")
                .contains("breaker-in-flight");
        assertThat(in(inside, "curl", "-si", "http://10.9.0.2:8081/").good()).contains("200");
    }

    /** Where idle connections to others fill the bound on all, the eldest make room. */
    @Test
    void makeRoomWithinTheBoundOnAllOfThem() throws IOException {
        start("", "");
        Path file = directory.resolve("sidecar.yaml");
        String yaml =
                Files.readString(file).replace("destinations: 2", "destinations: 9\n      total: { connections: 1 }");
        Files.writeString(file, yaml);
        in(inside, "curl", "-s", "-X", "POST", "http://127.0.0.1:9901/reload").good();
        Await.until("reloaded", () -> metric("^remora_config_generation").contains(" 2"));
        for (int i = 0; i < 3; i++) {
            for (String to : List.of("10.9.0.2:8080", "10.9.0.2:8081", "[fd09::2]:8080")) {
                assertThat(in(inside, "curl", "-sig", "http://" + to + "/").good())
                        .contains("200");
            }
        }
        start("later.txt", inside, "curl", "-s", "http://10.9.0.2:8080/later");
        Await.until("it is in use", () -> metric("^remora_backend_exchanges_in_flight.*2:8080")
                .contains(" 1"));
        assertThat(in(inside, "curl", "-si", "http://10.9.0.2:8081/").good())
                .contains("503")
                .contains("breaker-connections");
    }

    // ---- nothing loops

    @ParameterizedTest
    @CsvSource({"in, 127.0.0.1:15001", "in, 10.9.0.1:15006", "out, 10.9.0.1:15001", "out, '[fd09::1]:15006'"})
    void areRefusedWhereTheyComeToTheSidecarItself(String from, String to) throws IOException {
        start("", "");
        String answer = in(from.equals("in") ? inside : outside, "curl", "-sig", "http://" + to + "/")
                .good();
        assertThat(answer).contains("503").contains("destination-refused");
        assertThat(metric("remora_failures_total.*destination-refused")).contains(" 1");
    }

    // ---- without the library, and the rules

    @Test
    void areRefusedWithoutTheLibrary() throws IOException {
        Path config = config("", "");
        for (List<String> words : List.of(List.of("check"), List.of("run", "--config"))) {
            List<String> command = new ArrayList<>(List.of(java(), "-Djava.library.path=/nonexistent", "-jar", jar()));
            command.addAll(words);
            command.add(config.toString());
            Command refused = run(command.toArray(new String[0]));
            assertThat(refused.status()).isEqualTo(64);
            assertThat(refused.output()).contains("clusters.original.original-destination is not supported");
        }
    }

    @Test
    void goDirectlyOnceTheRulesAreRemoved() throws IOException {
        start("", "");
        assertThat(capture("down").status()).isZero();
        assertThat(in(inside, "nft", "list", "ruleset").good()).isEmpty();
        String answer = in(inside, "curl", "-si", "http://10.9.0.2:8080/").good();
        assertThat(answer).contains("200").doesNotContainIgnoringCase("via:");
        assertThat(capture("down").status()).as("a second time").isZero();
    }

    @ParameterizedTest
    @CsvSource({
        "--inbound 1, --uid is missing",
        "--uid 0 --inbound 1, --uid is 0",
        "--uid x --inbound 1, --uid is",
        "--uid 1, neither",
        "--uid 1 --inbound 70000, --inbound is",
        "'--uid 1 --inbound 1 --except 1;2', --except is"
    })
    void haveRulesThatAreJudged(String arguments, String problem) {
        List<String> words = new ArrayList<>(List.of("up"));
        words.addAll(List.of(arguments.split(" ")));
        Command refused = capture(words.toArray(new String[0]));
        assertThat(refused.status()).isEqualTo(64);
        assertThat(refused.output()).contains(problem);
        assertThat(in(inside, "nft", "list", "ruleset").good()).isEmpty();
    }
}
