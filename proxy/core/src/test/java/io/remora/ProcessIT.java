package io.remora;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.FreePort;
import io.remora.testkit.LaunchedProcess;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The sidecar as a process: its commands, its exit statuses, its signals. */
final class ProcessIT {
    private static final Path EXAMPLES =
            LaunchedProcess.LAUNCHER.resolve("../../../examples").normalize();
    private static final String GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

    @TempDir
    private Path directory;

    private RecordingBackend backend;
    private final CountDownLatch mayAnswer = new CountDownLatch(1);
    private int port;
    private int adminPort;

    @BeforeEach
    void start() throws IOException {
        backend = RecordingBackend.start();
        port = FreePort.next();
        adminPort = FreePort.next();
    }

    @AfterEach
    void stop() {
        mayAnswer.countDown();
        backend.close();
    }

    @Test
    void tellsHowItIsUsed() throws IOException {
        for (String[] arguments :
                new String[][] {{}, {"fly"}, {"run"}, {"run", "--config"}, {"check"}, {"version", "x"}, {"schema", "x"}
                }) {
            try (LaunchedProcess process = launch(arguments)) {
                assertThat(process.status()).as(String.join(" ", arguments)).isEqualTo(64);
                assertThat(process.err()).contains("usage").doesNotContain("Exception");
                assertThat(process.out()).isEmpty();
            }
        }
    }

    @Test
    void printsTheSchemaOfAConfiguration() throws IOException {
        try (LaunchedProcess process = launch("schema")) {
            assertThat(process.status()).isZero();
            assertThat(process.err()).isEmpty();
            assertThat(process.out())
                    .startsWith("{")
                    .endsWith("}\n")
                    .contains("json-schema.org")
                    .contains("\"drain-timeout\"");
        }
    }

    @Test
    void checksAGoodConfigurationWithoutBindingIt() throws IOException {
        try (ServerSocket taken = new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
                LaunchedProcess check = launch("check", config().toString())) {
            assertThat(taken.isBound()).isTrue();
            assertThat(check.status()).isZero();
        }
    }

    @Test
    void tellsThatAnotherEngineIsNotThere() throws IOException {
        // not by the launcher, which has its jars where they have been built
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String jar = Path.of("target", "remora.jar").toAbsolutePath().toString();
        String[][] commands = {
            {"-jar", jar, "check", "--engine", "finagle", config().toString()},
            {"-jar", jar, "run", "--engine", "finagle", "--config", config().toString()}
        };
        for (String[] command : commands) {
            try (LaunchedProcess process = LaunchedProcess.start(directory, java, command)) {
                assertThat(process.status()).isEqualTo(69);
                assertThat(process.err()).contains("remora: engine finagle is not on the class path");
            }
        }
    }

    @Test
    void refusesAnEngineThatNobodyKnows() throws IOException {
        try (LaunchedProcess check = launch("check", "--engine", "steam", config().toString())) {
            assertThat(check.status()).isEqualTo(64);
            assertThat(check.err()).contains("engine is 'steam', expected netty or finagle");
        }
        try (LaunchedProcess check = launch("check", "--engine", "netty", config().toString())) {
            assertThat(check.status()).isZero();
        }
    }

    @Test
    void takesTheHealthListenerFromTheCommandLineAlsoAfterAReload() throws IOException {
        int healthPort = FreePort.next();
        // port 1 is never bound, as the option takes precedence
        Path file = Files.writeString(
                directory.resolve("health.yaml"),
                "health: {address: \"127.0.0.1:1\", metrics: true}\n" + Files.readString(config()));
        String[] arguments = {
            "run", "--health", "127.0.0.1:" + healthPort, "--config", file.toString(), "--app-probes", "{}"
        };
        try (LaunchedProcess run = launch(arguments)) {
            connectWhenReady(run).close();
            InetSocketAddress health = new InetSocketAddress("127.0.0.1", healthPort);
            for (int i = 0; i < 2; i++) {
                try (RawClient client = RawClient.connect(health)) {
                    client.send("GET /ready HTTP/1.1\r\nHost: pod\r\n\r\n");
                    assertThat(client.response().status()).isEqualTo(200);
                    client.send("GET /metrics HTTP/1.1\r\nHost: pod\r\n\r\n");
                    assertThat(client.response().bodyText()).contains("remora_ready 1");
                    client.send("POST /metrics HTTP/1.1\r\nHost: pod\r\nContent-Length: 0\r\n\r\n");
                    assertThat(client.response().status()).isEqualTo(405);
                }
                try (RawClient admin = RawClient.connect(new InetSocketAddress("127.0.0.1", adminPort))) {
                    admin.send("POST /reload HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n");
                    assertThat(admin.response().bodyText()).contains("no differences");
                }
            }
        }
    }

    @Test
    void takesTheAdminListenerFromTheCommandLineAlsoAfterAReload() throws IOException {
        // port 1 is never bound, and any address would be
        Path file = Files.writeString(
                directory.resolve("admin.yaml"),
                Files.readString(config()).replace("127.0.0.1:" + adminPort, "127.0.0.1:1"));
        assertThat(file).content().contains("127.0.0.1:1").doesNotContain(":" + adminPort);
        try (LaunchedProcess run = launch("run", "--admin", "127.0.0.1:" + adminPort, "--config", file.toString())) {
            connectWhenReady(run).close();
            for (int i = 0; i < 2; i++) {
                try (RawClient admin = RawClient.connect(new InetSocketAddress("127.0.0.1", adminPort))) {
                    admin.send("POST /reload HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n");
                    assertThat(admin.response().bodyText()).contains("no differences");
                }
            }
        }
    }

    /** Every container of a pod reaches the port, and none has a certificate for it. */
    @Test
    void theAdminListenerOfTheCommandLineTakesNoHeapDumps() throws IOException {
        Path file = Files.writeString(
                directory.resolve("dumps.yaml"),
                Files.readString(config())
                        .replace(
                                "127.0.0.1:" + adminPort,
                                "unix:" + directory.resolve("a.sock") + "\n  heap-dump: " + directory));
        assertThat(file).content().contains("heap-dump: ");
        try (LaunchedProcess run = launch("run", "--admin", "127.0.0.1:" + adminPort, "--config", file.toString())) {
            connectWhenReady(run).close();
            try (RawClient admin = RawClient.connect(new InetSocketAddress("127.0.0.1", adminPort))) {
                admin.send("POST /heap-dump HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n");
                assertThat(admin.response("POST").status()).isEqualTo(403);
            }
            assertThat(run.err()).contains("WARN").contains("admin.heap-dump is off");
        }
    }

    @Test
    void refusesOptionsOfARunThatItCannotRead() throws IOException {
        String[][] wrong = {
            {"--health", "8080", "--health is '8080', expected HOST:PORT or [IPV6]:PORT"},
            {"--health", "[::1]:x", "--health is '[::1]:x', expected HOST:PORT or [IPV6]:PORT"},
            {"--admin", "9990", "--admin is '9990', expected HOST:PORT or [IPV6]:PORT"},
            {"--admin", "0.0.0.0:9990", "--admin is '0.0.0.0:9990', expected a loopback address"},
            {"--app-probes", "{\"web\": {\"startup\": {}}}", "--app-probes: web.startup has no action"},
        };
        for (String[] each : wrong) {
            try (LaunchedProcess run = launch("run", each[0], each[1], "--config", config().toString())) {
                assertThat(run.status()).isEqualTo(64);
                assertThat(run.err()).startsWith("remora: " + each[2]);
            }
        }
        // no options of a check, whose outcome is that of the file
        try (LaunchedProcess check = launch("check", "--health", "127.0.0.1:1", config().toString())) {
            assertThat(check.status()).isEqualTo(64);
        }
    }

    @Test
    void refusesFiltersForTheDefaultEngine() throws IOException {
        Path file = Files.writeString(
                directory.resolve("filters.yaml"),
                "plugins: {directory: /opt/filters, filters: [a.B]}\n" + Files.readString(config()));
        for (String[] arguments : new String[][] {{"check", file.toString()}, {"run", "--config", file.toString()}}) {
            try (LaunchedProcess process = launch(arguments)) {
                assertThat(process.status()).isEqualTo(64);
                assertThat(process.err())
                        .isEqualTo(file + ":1:22: engine netty: plugins is not supported, it takes no filters\n");
            }
        }
    }

    @Test
    void warnsOfAProxyWhoseClientsAreBelieved() throws IOException {
        String yaml = """
            admin: {address: "127.0.0.1:0"}
            listeners:
              - name: in
                address: "127.0.0.1:0"
                cluster: app
                proxy-protocol: {from: [10.0.0.0/8]}
                trust: {cidrs: [TRUSTED]}
            clusters:
              app: {endpoints: ["127.0.0.1:1"]}
            """;
        Path file = directory.resolve("believed.yaml");
        Files.writeString(file, yaml.replace("TRUSTED", "10.1.0.0/16"));
        try (LaunchedProcess check = launch("check", file.toString())) {
            assertThat(check.status()).isZero();
            assertThat(check.err())
                    .startsWith(file + ": warning: listeners.in.trust.cidrs: they overlap with proxy-protocol.from; ");
        }
        Files.writeString(file, yaml.replace("TRUSTED", "203.0.113.0/24"));
        try (LaunchedProcess check = launch("check", file.toString())) {
            assertThat(check.status()).isZero();
            assertThat(check.err()).isEmpty();
        }
    }

    @Test
    void warnsOfAProtectedPathThatHasOtherSpellings() throws IOException {
        String yaml = """
            admin: {address: "127.0.0.1:0"}
            listeners:
              - name: in
                address: "127.0.0.1:0"
                path: MODE
                routes:
                  - {match: {prefix: /admin}, cluster: app, clients: {allow: [10.0.0.0/8]}}
                  - {match: {path: /login}, cluster: app, rate-limits: [{rate: 1/s}]}
                  - {name: closed, match: {prefix: /private}, respond: {status: 403}}
                  - {match: {prefix: /}, cluster: app, rate-limits: [{rate: 9/s}]}
                  - {match: {prefix: /static}, cluster: app}
            clusters:
              app: {endpoints: ["127.0.0.1:1"]}
            """;
        Path file = directory.resolve("paths.yaml");
        Files.writeString(file, yaml.replace("MODE", "as-sent"));
        String begin = file + ": warning: listeners.in.path: as-sent lets other spellings of ";
        String end = "; expected both, normalize or refuse\n";
        try (LaunchedProcess check = launch("check", file.toString())) {
            assertThat(check.status()).isZero();
            assertThat(check.err())
                    .isEqualTo(begin + "/admin, such as /./admin, bypass the rules of route in/1" + end + begin
                            + "/login, such as /./login, bypass the rules of route in/2" + end + begin
                            + "/private, such as /./private, bypass the rules of route closed" + end);
        }
        for (String mode : new String[] {"both", "normalize", "refuse"}) {
            Files.writeString(file, yaml.replace("MODE", mode));
            try (LaunchedProcess check = launch("check", file.toString())) {
                assertThat(check.status()).isZero();
                assertThat(check.err()).isEmpty();
            }
        }
    }

    @Test
    void checksTheExampleOfASidecar() throws IOException {
        try (LaunchedProcess check =
                launch("check", EXAMPLES.resolve("sidecar.yaml").toString())) {
            assertThat(check.status()).isZero();
            assertThat(check.err()).doesNotContain(".yaml:");
        }
    }

    @Test
    void tellsEveryProblemOfABadConfiguration() throws IOException {
        Path bad = Files.writeString(directory.resolve("bad.yaml"), """
            workers: many
            listeners:
              - adress: 127.0.0.1:8080
                cluster: app
            clusters:
              app:
                endpoints: ["127.0.0.1:8081"]
                timeouts: { connect: 250 }
            """);
        for (String[] arguments : new String[][] {{"check", bad.toString()}, {"run", "--config", bad.toString()}}) {
            try (LaunchedProcess process = launch(arguments)) {
                assertThat(process.status()).isEqualTo(64);
                assertThat(process.err().lines())
                        .hasSizeGreaterThanOrEqualTo(3)
                        .allMatch(line -> line.startsWith(bad + ":"))
                        .anyMatch(line -> line.startsWith(bad + ":1:10: "))
                        .anyMatch(line -> line.startsWith(bad + ":3:5: ") && line.contains("address"))
                        .anyMatch(line -> line.startsWith(bad + ":8:26: "));
            }
        }
    }

    @Test
    void readsStandardInput() throws Exception {
        try (LaunchedProcess check = launch("check", "-")) {
            check.input("workers: many\n");
            assertThat(check.status()).isEqualTo(64);
            assertThat(check.err().lines()).allMatch(line -> line.startsWith("<stdin>:"));
        }
        String good = Files.readString(config());
        try (LaunchedProcess run = launch("run", "--config", "-").input(good)) {
            awaitReady(run);
            run.signal("TERM");
            assertThat(run.status()).isZero();
        }
    }

    @Test
    void saysWhatFileCannotBeRead() throws IOException {
        Path missing = directory.resolve("missing.yaml");
        try (LaunchedProcess run = launch("run", "--config", missing.toString())) {
            assertThat(run.status()).isEqualTo(64);
            assertThat(run.err().lines()).singleElement().asString().contains(missing.toString());
        }
    }

    @Test
    void namesAPortInUse() throws IOException {
        for (int taken : new int[] {port, adminPort}) {
            try (ServerSocket holder = new ServerSocket(taken, 1, InetAddress.getByName("127.0.0.1"));
                    LaunchedProcess run = launch("run", "--config", config().toString())) {
                assertThat(run.status()).isEqualTo(69);
                assertThat(run.err().lines().filter(line -> line.contains("127.0.0.1:" + holder.getLocalPort())))
                        .hasSize(1);
                assertThat(run.err()).doesNotContain("Exception", "\tat ");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TERM", "INT"})
    void drainsOnTheFirstSignal(String signal) throws Exception {
        holdAnswers();
        try (LaunchedProcess run = launch("run", "--config", config().toString());
                RawClient client = connectWhenReady(run)) {
            client.send(GET);
            Await.until("the request arrives", () -> backend.received().length > 0);
            run.signal(signal);
            Await.until("no new connection is taken", () -> !accepts());
            assertThat(run.isAlive()).isTrue();
            mayAnswer.countDown();
            RawResponse response = client.response();
            assertThat(response.status()).isEqualTo(200);
            assertThat(response.bodyText()).isEqualTo("ok");
            assertThat(client.closedByPeer()).isTrue();
            assertThat(run.status()).isZero();
        }
    }

    @Test
    void endsAtOnceOnTheSecondSignal() throws Exception {
        holdAnswers();
        try (LaunchedProcess run = launch("run", "--config", config().toString());
                RawClient client = connectWhenReady(run)) {
            client.send(GET);
            Await.until("the request arrives", () -> backend.received().length > 0);
            run.signal("TERM");
            Await.until("no new connection is taken", () -> !accepts());
            assertThat(run.isAlive()).isTrue();
            long startNs = System.nanoTime();
            run.signal("TERM");
            assertThat(run.status()).isNotEqualTo(64).isNotEqualTo(69);
            assertThat(System.nanoTime() - startNs).isLessThan(TimeUnit.SECONDS.toNanos(20));
            assertThat(client.closedByPeer()).isTrue();
        }
    }

    @Test
    void tellsWhichProfileItRunsWith() throws Exception {
        Path select =
                LaunchedProcess.LAUNCHER.resolve("../../../jvm-profiles/select").normalize();
        Path profile = directory.resolve("profile");
        Process written = new ProcessBuilder(select.toString(), "--image", "host", "--rps", "10000", "--options")
                .redirectOutput(profile.toFile())
                .start();
        assertThat(written.waitFor()).isZero();
        String home = System.getProperty("java.home");
        Map<Map<String, String>, String> starts = Map.of(
                Map.of("JAVA_HOME", home, "REMORA_RPS", "80", "JVM_HEAP_MAX", "24m"),
                "profile rps-100, image host, heap overridden by JVM_HEAP_MAX=24m",
                Map.of("JAVA_HOME", home, "JDK_JAVA_OPTIONS", "@" + profile),
                "profile rps-10000, image host");
        for (Map.Entry<Map<String, String>, String> start : starts.entrySet()) {
            try (LaunchedProcess run = LaunchedProcess.start(
                    directory,
                    start.getKey(),
                    LaunchedProcess.LAUNCHER.toString(),
                    "run",
                    "--config",
                    config().toString())) {
                awaitReady(run);
                assertThat(run.err().lines().filter(line -> line.contains(" profile ")))
                        .singleElement()
                        .asString()
                        .endsWith(" INFO " + start.getValue());
                run.signal("TERM");
                assertThat(run.status()).isZero();
            }
        }
    }

    /** They have their default limits, with every profile: nobody has asked for anything. */
    @ParameterizedTest
    @ValueSource(strings = {"100", "1000", "10000"})
    void sixteenListenersStartWithoutAWarning(String rps) throws IOException, InterruptedException {
        String more = "  - {address: \"127.0.0.1:0\", cluster: app}\n".repeat(15);
        Path file = config();
        Files.writeString(file, Files.readString(file).replace("clusters:", more + "clusters:"));
        try (LaunchedProcess run = launch("run", "--config", file.toString(), "--rps", rps)) {
            awaitReady(run);
            run.signal("TERM");
            assertThat(run.status()).isZero();
            assertThat(run.err()).doesNotContain(" WARN ").contains("memory: no limit");
        }
    }

    private void holdAnswers() {
        backend.onRequest(connection -> {
            connection.readRequest();
            try {
                assertThat(mayAnswer.await(60, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            connection.write(RecordingBackend.OK);
        });
    }

    @Test
    void readsItsConfigurationAnewOnSighup() throws Exception {
        Path file = config();
        try (LaunchedProcess run = launch("run", "--config", file.toString());
                RawClient kept = connectWhenReady(run);
                RecordingBackend other = RecordingBackend.start()) {
            assertThat(kept.send(GET).response().status()).isEqualTo(200);
            Files.writeString(file, Files.readString(file).replace("cluster: app", "cluster: nobody"));
            run.signal("HUP");
            Await.until("it is refused", () -> text(run::err).contains("cluster 'nobody' does not exist"));
            assertThat(run.err()).contains(file + ":6:").contains("rejected; keeping generation 1");
            String good = Files.readString(config());
            Files.writeString(file, good.replace(":" + backend.port(), ":" + other.port()));
            run.signal("HUP");
            Await.until("it is taken", () -> text(run::err).contains("loaded; running generation 2"));
            assertThat(kept.send(GET).response().status()).isEqualTo(200);
            assertThat(other.connections()).hasSize(1);
            run.signal("TERM");
            assertThat(run.status()).isZero();
        }
    }

    /** What has been written so far. */
    private interface Text {
        String read() throws IOException;
    }

    private static String text(Text written) {
        try {
            return written.read();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private LaunchedProcess launch(String... arguments) throws IOException {
        return LaunchedProcess.start(directory, LaunchedProcess.LAUNCHER.toString(), arguments);
    }

    private Path config() throws IOException {
        return Files.writeString(directory.resolve("sidecar.yaml"), """
            drain-timeout: 60s
            admin:
              address: 127.0.0.1:%d
            listeners:
              - address: 127.0.0.1:%d
                cluster: app
            clusters:
              app:
                endpoints: ["127.0.0.1:%d"]
            """.formatted(adminPort, port, backend.port()));
    }

    private RawClient connectWhenReady(LaunchedProcess run) {
        awaitReady(run);
        return RawClient.connect(new InetSocketAddress("127.0.0.1", port));
    }

    private void awaitReady(LaunchedProcess run) {
        Await.until("ready", () -> {
            assertThat(run.isAlive()).isTrue();
            return readyStatus() == 200;
        });
    }

    /** What the admin listener's readiness answers, 0 while nothing does. */
    private int readyStatus() {
        try {
            URI ready = URI.create("http://127.0.0.1:" + adminPort + "/ready");
            return ((HttpURLConnection) ready.toURL().openConnection()).getResponseCode();
        } catch (IOException e) {
            return 0;
        }
    }

    private boolean accepts() {
        try (RawClient client = RawClient.connect(new InetSocketAddress("127.0.0.1", port))) {
            return client.socket().isConnected();
        } catch (UncheckedIOException refused) {
            return false;
        }
    }
}
