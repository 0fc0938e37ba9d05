package io.remora.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.Proxy;
import io.remora.config.model.ConfigException;
import io.remora.config.model.ProxyConfig;
import io.remora.config.yaml.ConfigReader;
import io.remora.feature.FeatureList;
import io.remora.seams.SeamStand;
import io.remora.testkit.Await;
import io.remora.testkit.Command;
import io.remora.testkit.CpuQuota;
import io.remora.testkit.Metrics;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.SidecarProcess;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The watchdog of the event loops: what it says of one that is held up, and its silence about a process that gets no processor. */
final class WatchdogIT {
    private static final String STALLS = "remora_event_loop_stalls_total";
    private static final int STOPPED_SECONDS = 40;
    /** More than 2 % of a processor can serve in a turn of less than two seconds. */
    private static final int CLIENTS = 300;

    private static final int PATIENCE_MS = 60_000;

    @TempDir
    private Path directory;

    private RecordingBackend backend;

    @BeforeEach
    void start() {
        backend = RecordingBackend.start().replyOk();
    }

    @AfterEach
    void stop() {
        backend.close();
    }

    private String yaml(String more) {
        return more + "admin: { address: \"127.0.0.1:0\" }\n"
                + "health: { address: \"127.0.0.1:0\" }\n"
                + "listeners:\n  - { name: test, address: \"127.0.0.1:0\", cluster: app }\n"
                + "clusters:\n  app: { endpoints: [\"127.0.0.1:" + backend.port() + "\"] }\n";
    }

    private ProxyConfig config(String more) throws ConfigException, IOException {
        Path file = Files.writeString(directory.resolve("sidecar.yaml"), yaml(more));
        return ConfigReader.readFile(file.toString(), Map.of(), new FeatureList());
    }

    private static RawResponse ask(InetSocketAddress at, String target) {
        try (RawClient client = RawClient.connect(at).readTimeoutMs(PATIENCE_MS)) {
            return client.send("GET " + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    .response();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    // ---- a loop that is held up

    @Test
    void aLoopThatIsHeldUp() throws ConfigException, IOException {
        CountDownLatch free = new CountDownLatch(1);
        PrintStream standardError = System.err;
        ByteArrayOutputStream log = new ByteArrayOutputStream();
        System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
        try (Proxy proxy = Proxy.start(config("watchdog: { live: 4s }\n"))) {
            assertThat(ask(proxy.adminAddress(), "/live").status()).isEqualTo(200);
            proxy.path().shared().loops().get(0).eventLoop().execute(() -> block(free));
            Await.until("a warning", () -> log.toString(StandardCharsets.UTF_8).contains("stalled for"));
            assertThat(log.toString(StandardCharsets.UTF_8))
                    .containsPattern("WARN event loop 0: stalled for [23]\\d{3} ms; its connections wait stack=\"")
                    .contains("WatchdogIT.block");
            Await.until(
                    "no longer live", () -> ask(proxy.adminAddress(), "/live").status() == 503);
            assertThat(ask(proxy.healthAddress(), "/live").status()).isEqualTo(503);
            assertThat(ask(proxy.adminAddress(), "/ready").status()).isEqualTo(200);
            free.countDown();
            Await.until("live again", () -> ask(proxy.healthAddress(), "/live").status() == 200);
            assertThat(log.toString(StandardCharsets.UTF_8)).contains("INFO event loop 0: responsive again");
            assertThat(Metrics.parse(ask(proxy.adminAddress(), "/metrics").bodyText())
                            .sum(STALLS, "loop", "0"))
                    .isEqualTo(1);
        } finally {
            free.countDown();
            System.setErr(standardError);
        }
    }

    /** A drain waits for the loops, and the thread that watches them and answers probes must not wait with it. */
    @Test
    void aDrainWithALoopThatIsHeldUp() throws ConfigException, IOException {
        CountDownLatch free = new CountDownLatch(1);
        Path socket = directory.resolve("test.sock");
        String more =
                "listeners:\n  - { name: file, address: \"unix:" + socket + "\", cluster: app }\n  - { name: test";
        Path file = Files.writeString(
                directory.resolve("two.yaml"),
                yaml("watchdog: { live: 2s }\nworkers: 1\n").replace("listeners:\n  - { name: test", more));
        try (Proxy proxy = Proxy.start(ConfigReader.readFile(file.toString(), Map.of(), new FeatureList()));
                RawClient drain = RawClient.connect(proxy.adminAddress()).readTimeoutMs(PATIENCE_MS)) {
            proxy.path().shared().loops().get(0).eventLoop().execute(() -> block(free));
            drain.send("POST /drain HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n");
            Await.until("not ready", () -> ask(proxy.adminAddress(), "/ready").status() == 503);
            assertThat(ask(proxy.healthAddress(), "/ready").status()).isEqualTo(503);
            Await.until(
                    "no longer live", () -> ask(proxy.adminAddress(), "/live").status() == 503);
            assertThat(drain.response().status())
                    .as("the loop is still held up")
                    .isEqualTo(202);
            free.countDown();
            Await.until("live again", () -> ask(proxy.healthAddress(), "/live").status() == 200);
            Await.until("no port", () -> !accepts(proxy.address("test")));
        } finally {
            free.countDown();
        }
    }

    private static boolean accepts(InetSocketAddress at) {
        try (Socket client = new Socket(at.getAddress(), at.getPort())) {
            return client.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    private static void block(CountDownLatch free) {
        try {
            assertThat(free.await(PATIENCE_MS, TimeUnit.MILLISECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    // ---- a process that gets no processor

    /** At the same time, for each takes long: one that is stopped in the middle of its work, and one that may compute for 2 % of the time. */
    @Test
    void aProcessThatGetsNoProcessor() throws IOException {
        try (SidecarProcess stopped = sidecar("stopped", "warm-up: { timeout: 3s }\n");
                SidecarProcess slow = sidecar("slow", "");
                Clients ofStopped = new Clients(stopped);
                CpuQuota quota = CpuQuota.of(slow.pid(), 2);
                // the first requests, for which most classes are loaded
                Clients ofSlow = new Clients(slow)) {
            assertThat(quota).isNotNull();
            long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(STOPPED_SECONDS);
            ofStopped.send();
            Command.run(directory, "kill", "-STOP", Long.toString(stopped.pid()))
                    .good();
            while (System.nanoTime() < endNs) {
                ofSlow.send();
                ofSlow.receive();
                isLiveAndSilent(slow);
            }
            Command.run(directory, "kill", "-CONT", Long.toString(stopped.pid()))
                    .good();
            ofStopped.receive();
            long afterNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(4);
            while (System.nanoTime() < afterNs) {
                isLiveAndSilent(stopped);
            }
        }
    }

    private SidecarProcess sidecar(String name, String more) throws IOException {
        return SidecarProcess.start(
                Files.createDirectory(directory.resolve(name)),
                List.of(),
                List.of("-Xmx64m"),
                yaml("watchdog: { live: 2s }\n" + more));
    }

    private static void isLiveAndSilent(SidecarProcess sidecar) throws IOException {
        try (RawClient admin = sidecar.adminClient().readTimeoutMs(PATIENCE_MS)) {
            assertThat(admin.send("GET /live HTTP/1.1\r\nHost: localhost\r\n\r\n")
                            .response()
                            .status())
                    .as(sidecar.log())
                    .isEqualTo(200);
            assertThat(Metrics.parse(admin.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
                                    .response()
                                    .bodyText())
                            .sum(STALLS))
                    .as(sidecar.log())
                    .isZero();
        }
        assertThat(sidecar.log()).doesNotContain("stalled for");
    }

    /** Many that ask at the same moment. */
    private static final class Clients implements AutoCloseable {
        private final List<RawClient> all = new ArrayList<>();

        Clients(SidecarProcess sidecar) throws IOException {
            for (int i = 0; i < CLIENTS; i++) {
                all.add(sidecar.client().readTimeoutMs(PATIENCE_MS));
            }
        }

        void send() throws IOException {
            for (RawClient one : all) {
                one.send(SeamStand.GET);
            }
        }

        void receive() throws IOException {
            for (RawClient one : all) {
                // a 504 where the endpoint's answer could not be read in time
                assertThat(one.response().status()).isIn(200, 504);
            }
        }

        @Override
        public void close() {
            all.forEach(RawClient::close);
        }
    }
}
