package io.remora.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.remora.seams.SeamStand;
import io.remora.serving.Seams;
import io.remora.testkit.Await;
import io.remora.testkit.EveryEngine;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Stand;
import io.remora.testkit.Wire;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Adaptive admission: what counts as waiting for the backend, and what it gives in an overload. */
@EveryEngine
final class AdmissionIT {
    private static final String TWO = "admission: {adaptive: {min: 1, max: 2}}";
    private static final String ASK =
            "GET /chat HTTP/1.1\r\nHost: app\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n\r\n";
    private static final String SWITCH =
            "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";

    private static SeamStand stand(String listener, RecordingBackend backend) {
        return SeamStand.start(new Seams(), SeamStand.config(listener, "", backend.port()));
    }

    // ---- what waits

    @Test
    void refusesWhatIsTooMuch() throws IOException {
        CountDownLatch mayAnswer = new CountDownLatch(1);
        try (RecordingBackend backend = RecordingBackend.start();
                SeamStand stand = stand(TWO, backend)) {
            backend.onRequest(connection -> {
                connection.readRequest();
                connection.waitFor(() -> Stand.await(mayAnswer));
                connection.write(RecordingBackend.OK);
            });
            RawClient one = stand.client().send(SeamStand.GET);
            RawClient two = stand.client().send(SeamStand.GET);
            Await.until("both wait", () -> backend.connections().size() == 2);
            RawClient three = stand.client();
            RawResponse refused = three.send(SeamStand.GET).response();
            assertThat(refused.status()).isEqualTo(503);
            assertThat(refused.field("Remora-Error")).isEqualTo("shed");
            assertThat(refused.field("Retry-After")).matches("\\d+");
            mayAnswer.countDown();
            assertThat(one.response().bodyText()).isEqualTo("ok");
            assertThat(two.response().bodyText()).isEqualTo("ok");
            assertThat(three.send(SeamStand.GET).response().bodyText()).isEqualTo("ok");
            stand.awaitIdle();
            assertThat(stand.failures("shed")).isOne();
            assertThat(stand.failures("overloaded")).isZero();
            assertThat(stand.metric("remora_admission_limit")).isEqualTo(2);
        }
    }

    /** Tunnels, uploads that are under way and responses that are being read are not the backend's to be waited for. */
    @Test
    void countsOnlyWhatWaits() throws IOException {
        try (RecordingBackend backend = RecordingBackend.start();
                SeamStand stand = stand(TWO, backend)) {
            backend.onRequest(connection -> {
                String head = connection.readHead().toString();
                if (head.contains("/chat")) {
                    connection.write(SWITCH);
                    connection.readToEnd();
                } else if (head.contains("/part")) {
                    connection.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nok");
                    connection.readToEnd();
                } else if (head.contains("PUT")) {
                    connection.readToEnd();
                } else {
                    connection.write(RecordingBackend.OK);
                }
            });
            List<RawClient> clients = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                RawClient tunnel = RawClient.connect(stand.address());
                assertThat(tunnel.send(ASK).response().status()).isEqualTo(101);
                RawClient reader = RawClient.connect(stand.address()).send("GET /part HTTP/1.1\r\nHost: app\r\n\r\n");
                assertThat(reader.responseHead().status()).isEqualTo(200);
                int before = backend.connections().size();
                RawClient upload = RawClient.connect(stand.address());
                upload.send("PUT / HTTP/1.1\r\nHost: app\r\nContent-Length: 10\r\n\r\nb");
                Await.until("the upload has begun", () -> backend.connections().size() > before);
                assertThat(stand.get("/").bodyText()).isEqualTo("ok");
                clients.addAll(List.of(tunnel, reader, upload));
            }
            assertThat(stand.failures("shed")).isZero();
            for (RawClient client : clients) {
                client.reset();
            }
        }
    }

    /** A response that streams already is not waited for again once the client has said all. */
    @Test
    void doesNotCountAResponseThatCameBeforeTheEndOfItsRequest() throws IOException {
        try (RecordingBackend backend = RecordingBackend.start();
                SeamStand stand = stand(TWO, backend)) {
            backend.onRequest(connection -> {
                if (connection.readHead().toString().contains("PUT")) {
                    connection.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nok");
                    connection.readToEnd();
                } else {
                    connection.write(RecordingBackend.OK);
                }
            });
            List<RawClient> clients = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                RawClient upload = RawClient.connect(stand.address());
                clients.add(upload);
                upload.send("PUT / HTTP/1.1\r\nHost: app\r\nContent-Length: 2\r\n\r\nb");
                assertThat(upload.responseHead().status()).isEqualTo(200);
                upload.send("c");
                int number = i + 1;
                Await.until("the request is whole", () -> uploads(backend) == number);
                assertThat(stand.get("/").bodyText())
                        .as("with %d of them", i + 1)
                        .isEqualTo("ok");
            }
            assertThat(stand.failures("shed")).isZero();
            for (RawClient client : clients) {
                client.reset();
            }
        }
    }

    private static long uploads(RecordingBackend backend) {
        return backend.connections().stream()
                .filter(connection -> Wire.text(connection.received()).endsWith("\r\n\r\nbc"))
                .count();
    }

    /** The attempt before began in the middle of an upload, which ended while nobody was asked. */
    @Test
    void countsAnAttemptThatHasTheWholeRequestFromItsBeginning() throws IOException {
        CountDownLatch mayAnswer = new CountDownLatch(1);
        CountDownLatch whole = new CountDownLatch(1);
        AtomicInteger uploads = new AtomicInteger();
        try (RecordingBackend backend = RecordingBackend.start();
                SeamStand stand = retrying(backend)) {
            backend.onRequest(connection -> {
                if (uploads.incrementAndGet() == 1) {
                    connection.readHead();
                    connection.write("HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n");
                    connection.readToEnd();
                } else if (connection.readRequest().method().equals("PUT")) {
                    whole.countDown();
                    connection.waitFor(() -> Stand.await(mayAnswer));
                    connection.write(RecordingBackend.OK);
                } else {
                    connection.write(RecordingBackend.OK);
                }
            });
            RawClient upload = stand.client().send("PUT / HTTP/1.1\r\nHost: app\r\nContent-Length: 2\r\n\r\nb");
            Await.until("a retry is due", () -> stand.page("/metrics")
                    .contains("_retries_total{cluster=\"app\",reason=\"status\"} 1"));
            upload.send("c");
            Stand.await(whole);
            assertThat(stand.get("/").field("Remora-Error")).isEqualTo("shed");
            mayAnswer.countDown();
            assertThat(upload.response().bodyText()).isEqualTo("ok");
            assertThat(stand.get("/").bodyText()).isEqualTo("ok");
        }
    }

    private static SeamStand retrying(RecordingBackend backend) {
        return SeamStand.start(new Seams(), SeamStand.config("""
                listeners:
                  - name: test
                    address: "127.0.0.1:0"
                    admission: {adaptive: {min: 1, max: 1}}
                    routes: [{cluster: app, timeouts: {total: 1h}, retries: {}}]
                clusters:
                  app: {endpoints: ["127.0.0.1:PORT"]}
                """.replace("PORT", Integer.toString(backend.port()))));
    }

    /** Whatever becomes of an exchange, its place is free again. */
    @Test
    void givesEachPlaceBack() throws IOException {
        try (RecordingBackend backend = RecordingBackend.start();
                SeamStand stand = stand(TWO, backend)) {
            for (int i = 0; i < 10; i++) {
                backend.onRequest(connection -> {
                    connection.readRequest();
                    connection.reset();
                });
                assertThat(stand.get("/").status()).isEqualTo(502);
                int before = backend.connections().size();
                backend.onRequest(connection -> {
                    connection.readRequest();
                    connection.readToEnd();
                });
                RawClient client = RawClient.connect(stand.address()).send(SeamStand.GET);
                Await.until("waits", () -> backend.connections().size() > before);
                client.reset();
                stand.awaitIdle();
            }
            stand.awaitIdle();
            assertThat(stand.failures("shed")).isZero();
        }
    }

    // ---- overload

    /**
     * A backend with four threads, each of which takes 25 ms for a request. A hundred and twenty clients are too many for
     * it: they wait for 750 ms, which is more than twice what a stall of the host takes.
     */
    private static final class Pool implements AutoCloseable {
        final HttpServer server;
        final ExecutorService threads = Executors.newFixedThreadPool(4);

        Pool() throws IOException {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1_000);
            server.setExecutor(threads);
            server.createContext("/", exchange -> {
                Stand.pause(25);
                exchange.sendResponseHeaders(200, -1);
                exchange.close();
            });
            server.start();
        }

        int port() {
            return server.getAddress().getPort();
        }

        @Override
        public void close() {
            server.stop(0);
            threads.shutdownNow();
        }
    }

    private static final int PAUSE_MS = 250;

    /** Clients that ask, and come back after a pause when they are refused. */
    private static final class Crowd implements AutoCloseable {
        final AtomicInteger good = new AtomicInteger();
        final AtomicInteger refused = new AtomicInteger();
        private final List<Thread> threads = new ArrayList<>();
        private volatile boolean stopped;

        Crowd(InetSocketAddress address, int number) {
            for (int i = 0; i < number; i++) {
                Thread thread = new Thread(() -> ask(address), "crowd-" + i);
                thread.setDaemon(true);
                thread.start();
                threads.add(thread);
            }
        }

        private void ask(InetSocketAddress address) {
            while (!stopped) {
                try (Socket socket = new Socket()) {
                    socket.connect(address);
                    socket.setTcpNoDelay(true);
                    // who goes is gone
                    socket.setSoLinger(true, 0);
                    socket.setSoTimeout(Await.TIMEOUT_MS);
                    while (!stopped && askOnce(socket)) {
                        // on the same connection
                    }
                } catch (IOException e) {
                    Stand.pause(PAUSE_MS);
                }
            }
        }

        private boolean askOnce(Socket socket) throws IOException {
            socket.getOutputStream().write(SeamStand.GET.getBytes(StandardCharsets.US_ASCII));
            InputStream in = socket.getInputStream();
            byte[] some = new byte[4_096];
            int count = in.read(some);
            String head = count < 0 ? "" : new String(some, 0, count, StandardCharsets.US_ASCII);
            if (head.startsWith("HTTP/1.1 200")) {
                good.incrementAndGet();
                return true;
            }
            refused.addAndGet(head.startsWith("HTTP/1.1 503") ? 1 : 0);
            Stand.pause(PAUSE_MS);
            return false;
        }

        @Override
        public void close() {
            stopped = true;
            for (Thread thread : threads) {
                try {
                    thread.join(Await.TIMEOUT_MS);
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
        }
    }

    private static SeamStand before(Pool pool) {
        return SeamStand.start(new Seams(), SeamStand.config("""
                health: {address: "127.0.0.1:0"}
                listeners:
                  - name: test
                    address: "127.0.0.1:0"
                    cluster: app
                    admission: {adaptive: {min: 4}}
                clusters:
                  app: {endpoints: ["127.0.0.1:PORT"]}
                """.replace("PORT", Integer.toString(pool.port()))));
    }

    private static int live(SeamStand stand) throws IOException {
        try (RawClient client = RawClient.connect(stand.proxy().healthAddress())) {
            return client.send("GET /live HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    .response()
                    .status();
        }
    }

    /**
     * Time for a verdict and two reviews. Where the host stalls as the many come, the verdict blames the backend. A review
     * 5 s later corrects that, or one 15 s after it if the stall has not ended.
     */
    private static final int VERDICTS_MS = 45_000;

    private static String admission(SeamStand stand) {
        return stand.page("/metrics")
                .lines()
                .filter(line -> line.startsWith("remora_admission"))
                .collect(Collectors.joining("\n"));
    }

    /** How much it serves in time is the simulation's to say, and the benchmark's: a busy machine has no time. */
    @Test
    void comesDownInAnOverloadAndGoesOnServing() throws IOException {
        try (Pool pool = new Pool();
                SeamStand stand = before(pool)) {
            try (Crowd few = new Crowd(stand.address(), 2)) {
                Await.until("the few are served", () -> few.good.get() > 200);
                assertThat(few.refused.get()).isZero();
            }
            try (Crowd many = new Crowd(stand.address(), 120)) {
                assertThat(Await.within(
                                VERDICTS_MS,
                                () -> stand.metric("remora_admission_cuts_total", "\"load\"") > 0
                                        && stand.failures("shed") > 0
                                        && many.refused.get() > 0))
                        .as(() -> "the many are too many: " + admission(stand))
                        .isTrue();
                Await.until(
                        "the limit is near to what the backend can",
                        () -> stand.metric("remora_admission_limit") <= 40);
                assertThat(stand.metric("remora_admission_limit")).isGreaterThanOrEqualTo(4);
                assertThat(live(stand)).as("the health listener refuses nobody").isEqualTo(200);
                int before = many.good.get();
                Await.until("some are served all the while", () -> many.good.get() > before + 100);
            }
        }
    }
}
