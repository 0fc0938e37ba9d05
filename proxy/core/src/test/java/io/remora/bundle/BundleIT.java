package io.remora.bundle;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Command;
import io.remora.testkit.Pki;
import io.remora.testkit.RawClient;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.SidecarProcess;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The support bundle of a sidecar in a process of its own, in which secrets are planted wherever there is room for one. */
final class BundleIT {
    private static final String MARK = "planted";
    private static final int SECRETS = 20;

    @TempDir
    private Path directory;

    private Path sidecarDirectory;
    private Path files;
    private Pki pki;
    private RecordingBackend backend;

    @BeforeEach
    void start() throws IOException {
        sidecarDirectory = Files.createDirectory(directory.resolve("sidecar"));
        files = Files.createDirectory(directory.resolve("files-" + secret(0)));
        pki = new Pki(files)
                .authority("ca")
                .issue("ca", "server-" + secret(1), "IP:127.0.0.1,DNS:" + secret(2) + ".test")
                .issue("ca", "operator", "DNS:operator.test");
        backend = RecordingBackend.start().replyOk();
    }

    /** Text that no line of the sidecar has by itself; all have the same mark, and letters alone where a word has to be one. */
    private static String secret(int number) {
        return MARK + (char) ('a' + number) + "secret";
    }

    private String yaml(String admin) {
        String server = "server-" + secret(1);
        return """
                admin: { address: "%s"%s }
                log-level: info
                via: %s
                access-log: { output: "%s/%s.log" }
                tracing: { service: %s, export: { cluster: app, path: /%s, host: %s.test } }
                listeners:
                  - name: test
                    address: "127.0.0.1:0"
                    timeouts: { caller-header: X-%s }
                    grpc: { methods: [/%s.Service/Get] }
                    protocol: auto
                    trust: { cidrs: [127.0.0.0/8] }
                    rate-limits: [{ name: %s/limit, rate: 1000/s, by: "header:X-%s" }]
                    routes:
                      - name: own
                        match: { prefix: /%s, headers: { authorization: "Bearer %s", X-Kind: "${PLANTED}" } }
                        cluster: app
                        request-headers: { set: { X-%s: %s } }
                      - match: { host: %s.test }
                        respond: { status: 204 }
                      - cluster: app
                  - name: secure
                    address: "127.0.0.1:0"
                    cluster: app
                    tls: { certificates: [{ chain: %s, key: %s }] }
                clusters:
                  app: { endpoints: ["127.0.0.1:%d"] }
                  local: { endpoints: ["unix:%s/%s.sock"] }
                """.formatted(
                        admin,
                        admin.startsWith("unix")
                                ? ""
                                : ", tls: { certificates: [{ chain: " + pki.path(server + ".crt") + ", key: "
                                        + pki.path(server + ".key") + " }], client-certificates: required, trust: "
                                        + pki.path("ca.crt") + " }",
                        secret(3),
                        files,
                        secret(4),
                        secret(5),
                        secret(6),
                        secret(7),
                        secret(8),
                        secret(9),
                        secret(10),
                        secret(11),
                        secret(12),
                        secret(13),
                        secret(14),
                        secret(15),
                        secret(16),
                        pki.path(server + ".crt"),
                        pki.path(server + ".key"),
                        backend.port(),
                        files,
                        secret(17));
    }

    private SidecarProcess sidecar(String admin) throws IOException {
        // in the environment, and by it in the configuration
        return SidecarProcess.start(
                sidecarDirectory,
                List.of("env", "PLANTED=" + secret(18), "OTHER=" + secret(19)),
                List.of("-Dremora.profile=/" + secret(19)),
                yaml(admin));
    }

    private static void load(SidecarProcess sidecar) throws IOException {
        for (int i = 0; i < 20; i++) {
            try (RawClient client = sidecar.client()) {
                client.send("GET /" + secret(11) + "?token=" + MARK + "query HTTP/1.1\r\nHost: " + secret(16)
                        + ".other\r\nAuthorization: Bearer " + MARK + "field\r\nCookie: a=" + MARK + "cookie\r\n\r\n");
                assertThat(client.response().status()).isEqualTo(200);
            }
        }
    }

    private Command bundle(String... words) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-jar",
                Path.of("target", "remora.jar").toAbsolutePath().toString(),
                "bundle"));
        command.addAll(List.of(words));
        return Command.run(directory, command.toArray(String[]::new));
    }

    private static Map<String, String> read(Path bundle) throws IOException {
        Map<String, String> read = new TreeMap<>();
        try (Stream<Path> all = Files.walk(bundle)) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                        .isEqualTo("rw-------");
                read.put(bundle.relativize(file).toString(), Files.readString(file));
            }
        }
        return read;
    }

    @Test
    void hasNoneOfTheSecrets() throws IOException {
        String socket = sidecarDirectory.resolve("admin.sock").toString();
        try (SidecarProcess sidecar = sidecar("unix:" + socket)) {
            load(sidecar);
            Path log = sidecarDirectory.resolve("log.txt");
            String planted = Files.readString(log)
                    + Command.run(directory, "curl", "-s", "--unix-socket", socket, "http://localhost/config")
                            .good()
                    + Files.readString(files.resolve(secret(4) + ".log"))
                    + Files.readString(sidecarDirectory.resolve("sidecar.yaml"))
                    + Files.readString(Path.of("/proc", sidecar.pid() + "", "environ"));
            for (int i = 0; i < SECRETS; i++) {
                // not the text, which has the environment
                assertThat(planted.contains(secret(i)))
                        .as("the sidecar has " + secret(i))
                        .isTrue();
            }
            assertThat(planted.contains(MARK + "query")).isTrue();

            Path out = directory.resolve("bundle");
            Command command =
                    bundle("unix:" + socket, "--out", out.toString(), "--time", "0s", "--yes", "--log", log.toString());
            assertThat(command.status()).as(command.output()).isZero();
            Map<String, String> read = read(out);
            assertThat(read.keySet())
                    .containsExactly(
                            "config.yaml",
                            "limits.txt",
                            "log.txt",
                            "manifest.txt",
                            "memory.txt",
                            "metrics/001.txt",
                            "peaks.txt",
                            "state.txt",
                            "threads.txt",
                            "versions.txt");
            read.forEach((name, text) -> {
                assertThat(text).as(name).isNotBlank().doesNotContainIgnoringCase(MARK);
                assertThat(text).as(name).doesNotContain("PRIVATE KEY", System.getenv("PATH"));
            });
            assertThat(command.output()).doesNotContain(MARK);
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(out)))
                    .isEqualTo("rwx------");

            // and is of use
            assertThat(read.get("config.yaml"))
                    .contains("  - name: test\n", "    cluster: app\n", "    certificates: (left out)\n")
                    .contains("        request-headers: (left out)\n", "  app:\n", "127.0.0.1:" + backend.port())
                    .contains("in-flight: ", "drain-timeout: ");
            assertThat(read.get("metrics/001.txt"))
                    .contains("remora_responses_total{listener=\"test\",class=\"2xx\"} 20")
                    .contains("endpoint=\"127.0.0.1:" + backend.port() + '"')
                    .contains("endpoint=\"hidden-");
            assertThat(read.get("peaks.txt")).contains("profile (left out)\n", "\nhour rate connections ");
            assertThat(read.get("memory.txt")).contains("heap_used_bytes ", "rss_bytes ");
            assertThat(read.get("threads.txt")).contains("remora-loop", "io.remora.Main.serve(");
            assertThat(read.get("limits.txt")).contains("limits Max open files", "processors ");
            assertThat(read.get("state.txt")).contains("live: live\n", "ready: ready\n");
            assertThat(read.get("versions.txt")).contains("remora_build_info{version=", "os.arch of the command: ");
            assertThat(read.get("log.txt")).contains(" INFO listener test on 127.0.0.1:", " INFO ready; admin on ");
            assertThat(read.get("manifest.txt"))
                    .contains("config.yaml", "values left out")
                    .doesNotContain("lacks");
        }
    }

    @Test
    void isAnArchiveThatTarReads() throws IOException {
        String socket = sidecarDirectory.resolve("admin.sock").toString();
        try (SidecarProcess sidecar = sidecar("unix:" + socket)) {
            assertThat(sidecar.isAlive()).isTrue();
            Path out = directory.resolve("b.tar.gz");
            Command command = bundle("--out", out.toString(), "--time", "0s", "unix:" + socket);
            assertThat(command.status()).as(command.output()).isZero();
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(out)))
                    .isEqualTo("rw-------");
            String listed =
                    Command.run(directory, "tar", "tzvf", out.toString()).good();
            assertThat(listed.lines()).hasSize(9).allMatch(line -> line.startsWith("-rw------- "));
            assertThat(listed).contains("remora-bundle/config.yaml", "remora-bundle/metrics/001.txt");
            Command.run(directory, "tar", "xzf", out.toString()).good();
            assertThat(directory.resolve("remora-bundle/config.yaml")).content().contains("  - name: test\n");
            assertThat(bundle("--out", out.toString(), "unix:" + socket))
                    .satisfies(again -> assertThat(again.status()).isEqualTo(69))
                    .satisfies(again -> assertThat(again.output()).contains(out + " exists, and is not replaced"));
        }
    }

    @Test
    void isListedBeforeItIsWritten() throws IOException {
        String socket = sidecarDirectory.resolve("admin.sock").toString();
        try (SidecarProcess sidecar = sidecar("unix:" + socket)) {
            assertThat(sidecar.isAlive()).isTrue();
            Command list = bundle("--list", "unix:" + socket);
            assertThat(list.status()).isZero();
            assertThat(list.output())
                    .contains("config.yaml", "41 scrapes, one each 15 s for 600 s")
                    .contains("No environment");
            assertThat(directory.toFile().list())
                    .filteredOn(name -> !name.startsWith("output"))
                    .containsExactlyInAnyOrder(files.getFileName().toString(), "sidecar");
            // a terminal that says no, by the program that makes one
            Path out = directory.resolve("refused");
            String java =
                    Path.of(System.getProperty("java.home"), "bin", "java").toString();
            String line = java + " -jar " + Path.of("target", "remora.jar").toAbsolutePath()
                    + " bundle --time 0s --out " + out + " unix:" + socket;
            Command refused = Command.fed(directory, "n\n", "script", "-qec", line, "/dev/null");
            assertThat(refused.output()).contains("config.yaml", "[y/N]", "nothing was written");
            assertThat(out).doesNotExist();
        }
    }

    @Test
    void readsMetricsForAsLongAsAskedFor() throws IOException {
        String socket = sidecarDirectory.resolve("admin.sock").toString();
        try (SidecarProcess sidecar = sidecar("unix:" + socket)) {
            assertThat(sidecar.isAlive()).isTrue();
            Path out = directory.resolve("many");
            Command command = bundle("--time", "4s", "--interval", "2s", "--out", out.toString(), "unix:" + socket);
            assertThat(command.status()).as(command.output()).isZero();
            assertThat(new File(out.toFile(), "metrics").list())
                    .containsExactlyInAnyOrder("001.txt", "002.txt", "003.txt");
        }
    }

    @Test
    void speaksTlsWithACertificate() throws IOException {
        try (SidecarProcess sidecar = sidecar("127.0.0.1:0")) {
            String log = sidecar.log();
            int at = log.indexOf("admin on ") + "admin on ".length();
            String address = log.substring(at, log.indexOf('\n', at));
            String trust = pki.path("ca.crt").toString();
            String chain = pki.path("operator.crt").toString();
            String key = pki.path("operator.key").toString();
            Command shown = bundle(address, "--list", "--tls-trust", trust, "--tls-chain", chain, "--tls-key", key);
            assertThat(shown.status()).as(shown.output()).isZero();
            assertThat(shown.output()).contains("config.yaml");

            assertFails(bundle(address, "--list", "--tls-trust", trust));
            assertFails(bundle(address, "--list"));
            String other = pki.authority("other").path("other.crt").toString();
            assertFails(bundle(address, "--list", "--tls-trust", other, "--tls-chain", chain, "--tls-key", key));
            Command named = bundle(
                    address,
                    "--list",
                    "--tls-trust",
                    trust,
                    "--tls-chain",
                    chain,
                    "--tls-key",
                    key,
                    "--tls-name",
                    "wrong.test");
            assertFails(named);
            assertThat(named.output()).contains("wrong.test");
        }
    }

    private static void assertFails(Command command) {
        assertThat(command.status()).as(command.output()).isEqualTo(69);
        assertThat(command.output().lines()).singleElement().asString().startsWith("remora: ");
    }

    @Test
    void saysWhatIsWrongWithItsWords() {
        assertUsage("--out is needed", "127.0.0.1:1");
        assertUsage("needs a value", "--out");
        assertUsage("--what is not known", "--what", "x");
        assertUsage("'b' is a second address", "a:1", "b", "--list");
        assertUsage("address is 'a', expected HOST:PORT or unix:/PATH", "a", "--list");
        assertUsage("--time is '61m', expected a time", "--time", "61m", "--list");
        assertUsage("--interval is too short for --time", "--time", "60m", "--interval", "14s", "--list");
        assertUsage("--tls-chain and --tls-key need each other", "--tls-trust", "x", "--tls-key", "x", "--list");
        assertUsage("--tls-trust is needed", "--tls-name", "x", "--list");
        Command nobody = bundle("127.0.0.1:1", "--list");
        assertFails(nobody);
        assertThat(nobody.output()).contains("no response of 127.0.0.1:1 for /config");
    }

    private void assertUsage(String problem, String... words) {
        Command command = bundle(words);
        assertThat(command.status()).isEqualTo(64);
        assertThat(command.output()).contains(problem);
    }
}
