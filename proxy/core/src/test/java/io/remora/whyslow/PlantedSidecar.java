package io.remora.whyslow;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.json.JsonTree;
import io.remora.testkit.Await;
import io.remora.testkit.Command;
import io.remora.testkit.FreePort;
import io.remora.testkit.LaunchedProcess;
import io.remora.testkit.Metrics;
import io.remora.testkit.RawClient;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.SteadyLoad;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A sidecar with a planted cause, started by the launcher, and the commands by which an operator looks at it. */
final class PlantedSidecar implements AutoCloseable {
    /** Some causes are slow on purpose, and machines may be busy. */
    static final int PATIENCE_MS = 180_000;

    /** The directory of a runtime image that runs the sidecar; if it is null, the host's JVM runs it. */
    static final @Nullable String IMAGE = System.getProperty("remora.test.image");

    private static final Path LAUNCHER = IMAGE == null ? LaunchedProcess.LAUNCHER : Path.of(IMAGE, "bin", "remora");
    private static final int CLIENTS = 2;
    private static final int PER_SECOND = 200;

    private final Path directory;
    private final Path log;
    private final Path latencies;
    private final RecordingBackend backend;
    private final LaunchedProcess process;
    private final InetSocketAddress admin = new InetSocketAddress(RawClient.LOOPBACK, FreePort.next());
    private final InetSocketAddress plain = new InetSocketAddress(RawClient.LOOPBACK, FreePort.next());
    private final InetSocketAddress other = new InetSocketAddress(RawClient.LOOPBACK, FreePort.next());

    private PlantedSidecar(Path directory, Map<String, String> variables, String otherKeys) throws IOException {
        this.directory = directory;
        log = directory.resolve("compile.log");
        latencies = directory.resolve("latency.hlog");
        backend = RecordingBackend.start().replyOk();
        Path config = Files.writeString(directory.resolve("sidecar.yaml"), """
            admin: {address: "127.0.0.1:%d"}
            listeners:
              - {name: plain, address: "127.0.0.1:%d", cluster: app}
              - {name: other, address: "127.0.0.1:%d", cluster: app%s}
            clusters: {app: {endpoints: ["127.0.0.1:%d"]}}
            """.formatted(
                        admin.getPort(), plain.getPort(), other.getPort(), otherKeys, backend.port()));
        process =
                LaunchedProcess.start(directory, variables, LAUNCHER.toString(), "run", "--config", config.toString());
    }

    /**
     * Starts it with JVM options as an operator sets them, and the compilation log, and waits until it is ready.
     *
     * @param otherKeys of the second listener, with a comma before them
     */
    static PlantedSidecar start(Path directory, String options, String otherKeys) throws IOException {
        PlantedSidecar sidecar = new PlantedSidecar(
                directory,
                Map.of(
                        "JAVA_HOME",
                        System.getProperty("java.home"),
                        "REMORA_JAVA_OPTS",
                        "-XX:+UnlockDiagnosticVMOptions -XX:+LogCompilation -XX:LogFile="
                                + directory.resolve("compile.log") + ' ' + options),
                otherKeys);
        try {
            sidecar.await(" ready; ");
            return sidecar;
        } catch (AssertionError never) {
            sidecar.close();
            throw never;
        }
    }

    /** Waits until the sidecar or its JVM has written this text. */
    void await(String text) throws IOException {
        assertThat(Await.within(PATIENCE_MS, () -> {
                    String said = written();
                    assertThat(said.contains(text) || process.isAlive())
                            .as(said)
                            .isTrue();
                    return said.contains(text);
                }))
                .as(text + " in " + written())
                .isTrue();
    }

    String written() {
        try {
            return process.err() + process.out();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    long pid() {
        return process.pid();
    }

    InetSocketAddress other() {
        return other;
    }

    /** Begins a light load on the first listener, which goes on until it is closed. */
    SteadyLoad load() {
        return SteadyLoad.start(plain, CLIENTS, 0, PER_SECOND);
    }

    /** Serves this number of requests on the first listener; more may time out, as some causes are slow. */
    void serve(int requests) {
        try (SteadyLoad load = load()) {
            served(load, requests);
        }
    }

    /** Waits until a load has had this number of responses. */
    static void served(SteadyLoad load, long requests) {
        assertThat(Await.within(PATIENCE_MS, () -> load.done() >= requests))
                .as(load.done() + " of " + requests + ", " + load.failures())
                .isTrue();
    }

    String page(String path) {
        try (RawClient client = RawClient.connect(admin)) {
            client.readTimeoutMs(PATIENCE_MS);
            client.send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
            return client.response().bodyText();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Metrics metrics() {
        return Metrics.parse(page("/metrics"));
    }

    /** Returns the second of the JVM's life, as its compilation log counts them. */
    long second() throws IOException {
        Matcher start = Pattern.compile("<hotspot_log [^>]*time_ms='(\\d+)'").matcher(Files.readString(log));
        assertThat(start.find()).isTrue();
        return (System.currentTimeMillis() - Long.parseLong(start.group(1))) / 1_000;
    }

    /** Ends an interval of the latency log, and keeps it. */
    void saveLatencies() throws IOException {
        Files.writeString(latencies, page("/latency.hlog"), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    /** Runs a command of the launcher, and returns its output. */
    String command(String... words) {
        List<String> command = new ArrayList<>(List.of(LaunchedProcess.LAUNCHER.toString()));
        command.addAll(List.of(words));
        return Command.run(directory, command.toArray(String[]::new)).good();
    }

    String advise() {
        return command("advise", admin.getAddress().getHostAddress() + ':' + admin.getPort());
    }

    /** Ends the sidecar by SIGTERM, upon which the JVM completes its compilation log. */
    void stop() throws IOException, InterruptedException {
        process.signal("TERM");
        assertThat(process.status()).as(written()).isZero();
    }

    String compileLog(String... options) {
        List<String> words = new ArrayList<>(List.of("compile-log", "--top", "1000"));
        words.addAll(List.of(options));
        if (Files.exists(latencies)) {
            words.addAll(List.of("--latency", latencies.toString()));
        }
        words.add(log.toString());
        return command(words.toArray(String[]::new));
    }

    Map<String, Object> compileLogJson(String... options) throws IOException {
        List<String> words = new ArrayList<>(List.of("--json"));
        words.addAll(List.of(options));
        return object(JsonTree.read(compileLog(words.toArray(String[]::new)).getBytes(StandardCharsets.ISO_8859_1)));
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> object(Object json) {
        return (Map<String, Object>) json;
    }

    @Override
    public void close() throws IOException {
        process.close();
        backend.close();
    }
}
