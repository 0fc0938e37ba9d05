package io.remora.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.Pki;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The webhook as a process, called by curl with the reviews that an API server sends. */
final class InjectorIT {
    private static final int CONNECTIONS = 256;
    private static final int PATIENCE_MS = 10_000;

    @TempDir
    private Path directory;

    private Pki pki;
    private InjectorProcess injector;

    @BeforeEach
    void start() throws IOException {
        pki = new Pki(directory).authority("ca");
        certificate("first");
        injector = new InjectorProcess(directory, List.of()).awaitReady();
    }

    @AfterEach
    void stop() {
        injector.close();
    }

    /** Another certificate stands in its place, by a rename as of a volume of Kubernetes. */
    private void certificate(String name) throws IOException {
        pki.issue("ca", name, "DNS:" + InjectorProcess.HOST + ",DNS:" + name + ".test");
        for (String end : List.of("key", "crt")) {
            Files.copy(directory.resolve(name + '.' + end), directory.resolve("next"));
            Files.move(
                    directory.resolve("next"),
                    directory.resolve("tls." + end),
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
        }
    }

    private static String patchOf(String answer) {
        int start = answer.indexOf("\"patch\":\"") + 9;
        assertThat(start).as(answer).isGreaterThan(9);
        String base64 = answer.substring(start, answer.indexOf('"', start));
        return new String(Base64.getDecoder().decode(base64), StandardCharsets.UTF_8);
    }

    private static String plain(String namespace) {
        return InjectorProcess.review(namespace, Map.of(), "");
    }

    @Test
    void podGetsItsSidecarByAPatch() throws IOException {
        String answer = injector.post(plain("shop"));
        assertThat(answer).endsWith("200").contains("\"uid\":\"u-1\"", "\"allowed\":true", "\"JSONPatch\"");
        assertThat(patchOf(answer)).contains("/spec/initContainers", "\"name\":\"remora\"", "remora.io~1status");
        assertThat(injector.health("/metrics"))
                .contains("remora_injector_admissions_total{result=\"injected\"} 1")
                .contains("remora_injector_admissions_total{result=\"refused\"} 0");
    }

    @Test
    void refusalNamesEachAnnotationAndTheAllowedValues() throws IOException {
        String answer = injector.post(InjectorProcess.review(
                "shop", Map.of("remora.io/image", "evil:1", "remora.io/jvm-options", "-Xmx9g"), ""));
        assertThat(answer)
                .endsWith("200")
                .contains("\"allowed\":false", "remora.io/image", "remora:i386", "remora.io/jvm-options")
                .doesNotContain("\"patch\"");
        assertThat(injector.health("/metrics")).contains("remora_injector_admissions_total{result=\"refused\"} 1");
    }

    @Test
    void captureByInitContainerWarnsOfNetAdmin() throws IOException {
        String answer = injector.post(InjectorProcess.review("shop", Map.of("remora.io/capture", "init"), ""));
        assertThat(answer).contains("\"allowed\":true", "\"warnings\":[", "NET_ADMIN");
    }

    /** Also if the registration selects their namespace. */
    @Test
    void nothingIsInjectedIntoTheSystemNorIntoItsOwnNamespace() throws IOException {
        Files.writeString(directory.resolve("namespace"), "mesh");
        injector.close();
        injector = new InjectorProcess(directory, List.of()).awaitReady();
        for (String namespace : List.of("kube-system", "kube-public", "kube-node-lease", "mesh")) {
            assertThat(injector.post(plain(namespace)))
                    .as(namespace)
                    .contains("\"allowed\":true")
                    .doesNotContain("\"patch\"");
        }
        assertThat(injector.post(plain("shop"))).contains("\"patch\"");
    }

    @Test
    void itsNamespaceIsThatOfTheEnvironmentFirst() throws IOException {
        Files.writeString(directory.resolve("namespace"), "other");
        injector.close();
        injector = new InjectorProcess(directory, List.of(), Map.of("REMORA_POD_NAMESPACE", "mesh")).awaitReady();
        assertThat(injector.post(plain("mesh"))).contains("\"allowed\":true").doesNotContain("\"patch\"");
        assertThat(injector.post(plain("other"))).contains("\"patch\"");
    }

    @Test
    void onlyCreationsOfPodsAreChanged() throws IOException {
        String review = plain("shop");
        for (String other : List.of(
                review.replace("\"CREATE\"", "\"UPDATE\""),
                review.replace("\"resource\":\"pods\"", "\"resource\":\"secrets\""),
                review.replace("\"operation\"", "\"subResource\":\"ephemeralcontainers\",\"operation\""))) {
            assertThat(other).isNotEqualTo(review);
            assertThat(injector.post(other)).contains("\"allowed\":true").doesNotContain("\"patch\"");
        }
    }

    @Test
    void whatIsNoReviewIsRefused() throws IOException {
        assertThat(injector.post("{")).endsWith("400").contains("not an AdmissionReview");
        assertThat(injector.post("[]")).endsWith("400");
        assertThat(injector.post("[".repeat(100_000))).endsWith("400");
        assertThat(injector.post("[" + "{},".repeat(900_000) + "{}]"))
                .endsWith("400")
                .contains("memory");
        assertThat(injector.call("-w", "%{http_code}", injector.url("/mutate"))).endsWith("405");
        assertThat(injector.call("-w", "%{http_code}", injector.url("/"))).endsWith("404");
        assertThat(injector.post(" ".repeat((3 << 20) + 1))).endsWith("413");
        assertThat(injector.post(plain("shop"))).contains("\"patch\"");
        assertThat(injector.health("/metrics")).contains("remora_injector_admissions_total{result=\"invalid\"} 4");
    }

    /** Each as large as the API server sends them at most, and together more than there is room for at a time. */
    @Test
    void largeReviewsWaitForTheirTurn() throws IOException, InterruptedException {
        String value = "x".repeat(2_900_000);
        Path file = Files.writeString(
                directory.resolve("large.json"),
                InjectorProcess.review("shop", Map.of(), ",\"args\":[\"" + value + "\"]"));
        List<Process> calls = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            calls.add(injector.begin(
                    "-o", "/dev/null", "-w", "%{http_code}", "--data-binary", "@" + file, injector.url("/mutate")));
        }
        for (Process call : calls) {
            assertThat(new String(call.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .isEqualTo("200");
            call.waitFor();
        }
        assertThat(injector.health("/metrics")).contains("remora_injector_admissions_total{result=\"injected\"} 6");
    }

    /** They hold what they have sent for as long as nobody waits for it. */
    @Test
    void stalledBodiesMakeWayForTheApiServer() throws IOException, InterruptedException {
        String value = "x".repeat(2_900_000);
        Path file = Files.writeString(
                directory.resolve("large.json"),
                InjectorProcess.review("shop", Map.of(), ",\"args\":[\"" + value + "\"]"));
        List<Process> stalled = new ArrayList<>();
        CountDownLatch sent = new CountDownLatch(2);
        try {
            for (int i = 0; i < 5; i++) {
                Process one = injector.begin(
                        "--interface", "127.0.0.2", "-X", "POST", "-T", "-", "-H", "Expect:", injector.url("/mutate"));
                stalled.add(one);
                startWriting(one, sent);
            }
            assertThat(sent.await(PATIENCE_MS, TimeUnit.MILLISECONDS)).isTrue();
            // the time that the registration gives a call
            assertThat(injector.call(
                            "-m",
                            "5",
                            "-o",
                            "/dev/null",
                            "-w",
                            "%{http_code}",
                            "--data-binary",
                            "@" + file,
                            injector.url("/mutate")))
                    .isEqualTo("200");
        } finally {
            for (Process one : stalled) {
                one.destroyForcibly();
            }
        }
    }

    private static void startWriting(Process to, CountDownLatch sent) {
        Thread writer = new Thread(() -> {
            try {
                to.getOutputStream().write(new byte[3_000_000]);
                to.getOutputStream().flush();
                sent.countDown();
            } catch (IOException ended) {
                // with its connection
            }
        });
        writer.setDaemon(true);
        writer.start();
    }

    @Test
    void oneConnectionCarriesManyReviews() throws IOException {
        Files.writeString(directory.resolve("one.json"), plain("shop"));
        String url = injector.url("/mutate");
        String connects = injector.call(
                "-o",
                "/dev/null",
                "-o",
                "/dev/null",
                "-o",
                "/dev/null",
                "-w",
                "%{num_connects} %{http_code},",
                "--data-binary",
                "@one.json",
                url,
                url,
                url);
        assertThat(connects).isEqualTo("1 200,0 200,0 200,");
    }

    private void holdSilently(int port, ThrowingRunnable meanwhile) throws IOException {
        hold(port, new byte[0], meanwhile);
    }

    private void hold(int port, byte[] octets, ThrowingRunnable meanwhile) throws IOException {
        List<Socket> held = new ArrayList<>();
        try {
            for (int i = 0; i < CONNECTIONS + 4; i++) {
                Socket one =
                        new Socket(InetAddress.getByName("127.0.0.1"), port, InetAddress.getByName("127.0.0.2"), 0);
                held.add(one);
                one.getOutputStream().write(octets);
            }
            meanwhile.run();
        } finally {
            for (Socket one : held) {
                one.close();
            }
        }
    }

    /** A client that holds connections open loses the oldest. */
    @Test
    void idleConnectionsMakeWayForOthers() throws IOException {
        holdSilently(injector.healthPort(), () -> assertThat(injector.health("/live"))
                .isEqualTo("live\n200"));
    }

    /** They last as handshakes, which are fewer still. */
    @Test
    void silentConnectionsDoNotLockOutTheApiServer() throws IOException {
        holdSilently(
                injector.port(), () -> assertThat(injector.post(plain("shop"))).contains("\"patch\""));
    }

    /** Handshakes that have begun make room before their time is over, and the log says why. */
    @Test
    void handshakesMakeWayForOthers() throws IOException {
        hold(injector.port(), new byte[] {22, 3, 1}, () -> assertThat(injector.post(plain("shop")))
                .contains("\"patch\""));
        assertThat(injector.log())
                .contains("webhook: TLS handshake failed: too many handshakes at once")
                .doesNotContain("it took too long");
    }

    /** The connection that an API server keeps is one of few of its address. */
    @Test
    void keptConnectionOutlastsThoseOfAnotherAddress() throws IOException {
        try (Socket kept = new Socket("127.0.0.1", injector.healthPort())) {
            kept.setSoTimeout(PATIENCE_MS);
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(kept.getInputStream(), StandardCharsets.UTF_8));
            assertThat(statusOfLive(kept, in)).isEqualTo("HTTP/1.1 200 OK");
            holdSilently(injector.healthPort(), () -> {
                // accepted after all of them
                assertThat(injector.health("/live")).isEqualTo("live\n200");
                assertThat(statusOfLive(kept, in)).isEqualTo("HTTP/1.1 200 OK");
            });
        }
    }

    private static String statusOfLive(Socket connection, BufferedReader in) throws IOException {
        connection.getOutputStream().write("GET /live HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.UTF_8));
        String status = in.readLine();
        String line = in.readLine();
        while (line != null && !line.equals("live")) {
            line = in.readLine();
        }
        return String.valueOf(status);
    }

    /** Each response would wait in memory, as it does not read them. */
    @Test
    void clientThatDoesNotReadIsAnsweredNoFurther() throws IOException {
        byte[] request =
                "GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n".repeat(1_000).getBytes(StandardCharsets.UTF_8);
        try (SocketChannel deaf = SocketChannel.open()) {
            deaf.setOption(StandardSocketOptions.SO_RCVBUF, 4_096);
            deaf.connect(new InetSocketAddress("127.0.0.1", injector.healthPort()));
            deaf.configureBlocking(false);
            ByteBuffer out = ByteBuffer.wrap(request);
            long untilNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
            long left = 16L << 20;
            // it drops what it reads, and closes the connection after its time
            while (left > 0 && System.nanoTime() < untilNs) {
                try {
                    left -= deaf.write(out);
                } catch (IOException closed) {
                    break;
                }
                if (!out.hasRemaining()) {
                    out.rewind();
                }
            }
        }
        assertThat(injector.health("/live")).isEqualTo("live\n200");
        assertThat(injector.log()).doesNotContain("OutOfMemoryError");
    }

    /** A step of a test that talks to the injector. */
    private interface ThrowingRunnable {
        void run() throws IOException;
    }

    @Test
    void changedFilesAreShownToNewConnections() throws IOException {
        assertThat(injector.call("-v", injector.url("/mutate"))).contains("CN=first", "HTTP/1.1 405");
        certificate("second");
        Await.until("the second certificate", () -> injector.log().contains("DNS:second.test"));
        assertThat(injector.call("-v", injector.url("/mutate"))).contains("CN=second");
    }

    @Test
    void filesThatCannotBeUsedChangeNothing() throws IOException {
        Files.writeString(directory.resolve("tls.crt"), "nothing");
        Await.until("the warning", () -> injector.log().contains("keeping the certificate in use"));
        assertThat(injector.post(plain("shop"))).contains("\"patch\"");
        assertThat(injector.health("/ready")).isEqualTo("ready\n200");
    }

    @Test
    void terminationEndsReadinessFirstAndServesUntilItsEnd() throws IOException, InterruptedException {
        injector.terminate();
        Await.until("not ready", () -> injector.health("/ready").contains("draining"));
        assertThat(injector.post(plain("shop"))).contains("\"patch\"");
        assertThat(injector.status()).isZero();
        assertThat(injector.log()).contains("stopped").doesNotContain("ERROR", "Exception");
    }
}
