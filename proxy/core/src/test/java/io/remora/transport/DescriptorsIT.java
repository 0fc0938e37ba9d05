package io.remora.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.FreePort;
import io.remora.testkit.LaunchedProcess;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.ThreadNames;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A sidecar's process that has no descriptor left: accepting pauses and recovers, nothing spins, and what is in
 * progress goes on.
 */
final class DescriptorsIT {
    private static final int DESCRIPTORS = 64;
    private static final int WATCHED_MS = 2_000;
    /** Of a core. */
    private static final double MOST_CPU = 0.2;

    private static final double TICKS_PER_SECOND = 100;
    private static final String GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

    @TempDir
    private Path directory;

    private final RecordingBackend backend = RecordingBackend.start();
    private final CountDownLatch mayAnswer = new CountDownLatch(1);
    private final List<RawClient> clients = new ArrayList<>();
    private LaunchedProcess sidecar;
    private int port;

    @BeforeEach
    void start() throws IOException {
        backend.onRequest(connection -> {
            boolean held = connection.readRequest().target().equals("/held");
            Await.within(3 * Await.TIMEOUT_MS, () -> !held || mayAnswer.getCount() == 0);
            connection.write(RecordingBackend.OK);
        });
        port = FreePort.next();
        sidecar = LaunchedProcess.start(
                directory,
                "/bin/sh",
                "-c",
                "ulimit -n " + DESCRIPTORS + "; exec \"$0\" run --config \"$1\"",
                LaunchedProcess.LAUNCHER.toString(),
                config().toString());
        Await.until("ready", () -> log("ready; ") == 1);
    }

    @AfterEach
    void stop() throws IOException {
        mayAnswer.countDown();
        clients.forEach(RawClient::close);
        sidecar.close();
        backend.close();
    }

    private Path config() throws IOException {
        return Files.writeString(directory.resolve("sidecar.yaml"), """
                admin:
                  address: 127.0.0.1:0
                listeners:
                  - address: 127.0.0.1:%d
                    cluster: app
                clusters:
                  app:
                    endpoints: ["127.0.0.1:%d"]
                """.formatted(port, backend.port()));
    }

    private RawClient client() {
        RawClient client = RawClient.connect(new InetSocketAddress("127.0.0.1", port));
        clients.add(client);
        return client;
    }

    /** How many lines of the log say this. */
    private long log(String text) {
        try {
            return sidecar.err().lines().filter(line -> line.contains(text)).count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * An exchange in progress, and then clients until no descriptor is left; the first of these has one for certain.
     */
    private RawClient exhaust(RawClient held) throws IOException {
        held.send("GET /held HTTP/1.1\r\nHost: a\r\n\r\n");
        Await.until("the request arrives", () -> backend.received().length > 0);
        RawClient first = client();
        for (int i = 0; i < DESCRIPTORS; i++) {
            client();
        }
        Await.until("accepting pauses", () -> log("accepting pauses") > 0);
        return first;
    }

    private double cpuSeconds() throws IOException {
        String stat = Files.readString(Path.of("/proc/" + sidecar.pid() + "/stat"));
        // behind the command's name, which may have spaces in it
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / TICKS_PER_SECOND;
    }

    @Test
    void pausesAcceptingWithoutASpin() throws IOException {
        RawClient held = client();
        exhaust(held);
        double before = cpuSeconds();
        long startNs = System.nanoTime();
        Await.within(WATCHED_MS, () -> false);
        double perSecond = (cpuSeconds() - before) * 1e9 / (System.nanoTime() - startNs);
        assertThat(perSecond).as("CPU of the sidecar").isLessThan(MOST_CPU);
        // once for each pause, however often it tried meanwhile
        assertThat(log("accepting pauses")).isEqualTo(1 + log("accepting again"));
        mayAnswer.countDown();
        assertThat(held.response().bodyText()).isEqualTo("ok");
        assertThat(held.send(GET).response().bodyText()).isEqualTo("ok");
        assertThat(log("ERROR")).isZero();
    }

    @Test
    void refusesWhatNeedsAnotherConnection() throws IOException {
        RawClient held = client();
        RawClient first = exhaust(held);
        for (int i = 0; i < 3; i++) {
            RawResponse response = first.send(GET).response();
            assertThat(response.status()).isEqualTo(503);
            assertThat(response.field("Remora-Error")).isEqualTo("out-of-descriptors");
            assertThat(response.fields().has("Retry-After")).isTrue();
            assertThat(response.fields().has("Connection")).isFalse();
        }
        // nothing of an exchange may happen on a thread other than its loop's
        assertThat(ThreadNames.of(sidecar.pid()))
                .contains("remora-loop-1")
                .noneMatch(name -> name.startsWith("globalEvent"));
        mayAnswer.countDown();
        assertThat(held.response().bodyText()).isEqualTo("ok");
        // it has left a connection to the pool
        assertThat(first.send(GET).response().bodyText()).isEqualTo("ok");
    }

    @Test
    void acceptsAgain() throws IOException {
        RawClient held = client();
        RawClient first = exhaust(held);
        RawClient waiting = client();
        waiting.send(GET);
        for (RawClient client : clients) {
            if (client != held && client != first && client != waiting) {
                client.close();
            }
        }
        assertThat(waiting.response().bodyText()).isEqualTo("ok");
        assertThat(client().send(GET).response().bodyText()).isEqualTo("ok");
        assertThat(first.send(GET).response().bodyText()).isEqualTo("ok");
        mayAnswer.countDown();
        assertThat(held.response().bodyText()).isEqualTo("ok");
        Await.until("it says so", () -> log("accepting pauses") == log("accepting again"));
        assertThat(log("ERROR")).isZero();
    }
}
