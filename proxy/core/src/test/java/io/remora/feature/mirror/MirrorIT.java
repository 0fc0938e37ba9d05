package io.remora.feature.mirror;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.Contract;
import io.remora.testkit.DeadPort;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawRequest;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Sidecar;
import io.remora.testkit.Stand;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Copies of requests, and that no original notices them. */
@Contract
final class MirrorIT {
    private static final String GET = "GET /a?b HTTP/1.1\r\nHost: app\r\nX-A: b\r\n\r\n";
    private static final String POST = "POST /p HTTP/1.1\r\nHost: app\r\nContent-Length: 5\r\n\r\nhello";
    private static final String CHUNKED =
            "POST /c HTTP/1.1\r\nHost: app\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n";

    private final RecordingBackend backend = RecordingBackend.start();
    private final RecordingBackend shadow = RecordingBackend.start();

    @AfterEach
    void close() {
        backend.close();
        shadow.close();
        assertThat(backend.problems()).isEmpty();
    }

    private Sidecar with(String mirror) {
        return with(mirror, "'127.0.0.1:${BACKEND_1}'");
    }

    private Sidecar with(String mirror, String endpoint) {
        String yaml = """
                admin: {address: '127.0.0.1:0'}
                log-level: error
                via: remora
                listeners:
                  - name: test
                    address: '127.0.0.1:0'
                    routes: [{name: copied, cluster: app, mirror: {cluster: shadow, MIRROR}, rewrite: {prefix: /v2}}]
                  - {name: barrier, address: '127.0.0.1:0', cluster: barrier}
                clusters:
                  app: {endpoints: ['127.0.0.1:${BACKEND}']}
                  shadow: {endpoints: [ENDPOINT]}
                  barrier: {endpoints: ['127.0.0.1:${BARRIER}']}
                """;
        return Sidecar.of(yaml.replace("MIRROR", mirror).replace("ENDPOINT", endpoint), backend, shadow);
    }

    private static long count(Sidecar sidecar, String name, String... labels) {
        return sidecar.metrics().sum("remora_mirrors_" + name, labels);
    }

    private static void awaitNone(Sidecar sidecar) {
        Await.until("copies are over", () -> count(sidecar, "in_flight") == 0);
    }

    /** An exchange that no copy holds up, whatever becomes of it. */
    private static void passes(RawClient client, String request) throws IOException {
        RawResponse response = client.send(request).response();
        assertThat(response.status()).isEqualTo(200);
        assertThat(response.bodyText()).isEqualTo("ok");
    }

    @Test
    void getsWhatTheEndpointGets() throws IOException {
        shadow.reply("HTTP/1.1 500 Bad\r\nContent-Length: 3\r\n\r\nbad");
        try (Sidecar sidecar = with("percent: 100");
                RawClient client = sidecar.client()) {
            for (String request : List.of(GET, POST, CHUNKED)) {
                passes(client, request);
                awaitNone(sidecar);
            }
            List<RawRequest> originals = backend.requests();
            List<RawRequest> copies = shadow.requests();
            assertThat(copies).hasSize(3);
            for (int i = 0; i < 3; i++) {
                RawRequest copy = copies.get(i);
                assertThat(copy.method()).isEqualTo(originals.get(i).method());
                assertThat(copy.target()).isEqualTo(originals.get(i).target()).startsWith("/v2/");
                assertThat(copy.bodyText()).isEqualTo(originals.get(i).bodyText());
                assertThat(copy.field("Remora-Mirror")).isEqualTo("copied");
                assertThat(originals.get(i).fields().has("Remora-Mirror")).isFalse();
                for (String name : originals.get(i).fields().names()) {
                    assertThat(copy.fields().all(name))
                            .isEqualTo(originals.get(i).fields().all(name));
                }
            }
            assertThat(count(sidecar, "started_total")).isEqualTo(3);
            assertThat(count(sidecar, "failed_total")).isZero();
            assertThat(count(sidecar, "dropped_total")).isZero();
        }
        assertThat(shadow.problems()).isEmpty();
    }

    /** What the sidecar tells the endpoint of the trace, and not what the client has said of it. */
    @Test
    void hasTheTraceOfItsOriginal() throws IOException {
        String yaml = """
                admin: {address: '127.0.0.1:0'}
                log-level: error
                tracing: {sample: 1, export: {cluster: collector}}
                listeners:
                  - {name: test, address: '127.0.0.1:0', routes: [{cluster: app, mirror: {cluster: shadow}}]}
                  - {name: barrier, address: '127.0.0.1:0', cluster: barrier}
                clusters:
                  app: {endpoints: ['127.0.0.1:${BACKEND}']}
                  shadow: {endpoints: ['127.0.0.1:${BACKEND_1}']}
                  collector: {endpoints: ['127.0.0.1:DEAD']}
                  barrier: {endpoints: ['127.0.0.1:${BARRIER}']}
                """;
        try (DeadPort dead = new DeadPort();
                Sidecar sidecar = Sidecar.of(yaml.replace("DEAD", Integer.toString(dead.port())), backend, shadow);
                RawClient client = sidecar.client()) {
            String fields = "traceparent: 00-what-ever-01\r\ntracestate: a=b\r\n";
            passes(client, "GET / HTTP/1.1\r\nHost: app\r\n" + fields + "\r\n");
            passes(client, POST.replace("Host: app\r\n", "Host: app\r\n" + fields));
            awaitNone(sidecar);
            List<RawRequest> originals = backend.requests();
            List<RawRequest> copies = shadow.requests();
            assertThat(copies).hasSize(2);
            for (RawRequest copy : copies) {
                RawRequest original = originals.get(copy.method().equals("GET") ? 0 : 1);
                assertThat(copy.field("traceparent")).matches("00-[0-9a-f]{32}-[0-9a-f]{16}-01");
                assertThat(copy.field("traceparent")).isEqualTo(original.field("traceparent"));
                assertThat(copy.fields().all("tracestate"))
                        .isEqualTo(original.fields().all("tracestate"));
            }
        }
    }

    /** The endpoint of the copies never answers: what is beyond the bound is not copied, and nobody waits. */
    @Test
    void aSilentOneHoldsNobodyUp() throws IOException {
        CountDownLatch over = new CountDownLatch(1);
        shadow.onRequest(connection -> {
            connection.readRequest();
            connection.waitFor(() -> Stand.await(over));
        });
        try (Sidecar sidecar = with("max-in-flight: 4, timeout: 1h");
                RawClient client = sidecar.client()) {
            for (int i = 0; i < 100; i++) {
                passes(client, i % 2 == 0 ? GET : POST);
            }
            assertThat(count(sidecar, "in_flight")).isEqualTo(4);
            assertThat(count(sidecar, "dropped_total", "reason", "busy")).isEqualTo(96);
            assertThat(backend.requests()).hasSize(100);
        } finally {
            // whose end has closed the connections of the copies as well
            over.countDown();
        }
    }

    @Test
    void aSlowOneIsGivenUp() throws IOException {
        CountDownLatch over = new CountDownLatch(1);
        shadow.onRequest(connection -> {
            connection.readRequest();
            connection.waitFor(() -> Stand.await(over));
        });
        try (Sidecar sidecar = with("timeout: 50ms");
                RawClient client = sidecar.client()) {
            passes(client, GET);
            awaitNone(sidecar);
            assertThat(count(sidecar, "failed_total")).isEqualTo(1);
            over.countDown();
        }
    }

    @Test
    void aDeadOneIsNotNoticed() throws IOException {
        try (DeadPort dead = new DeadPort();
                Sidecar sidecar = with("percent: 100", "'127.0.0.1:" + dead.port() + "'");
                RawClient client = sidecar.client()) {
            for (int i = 0; i < 20; i++) {
                passes(client, i % 2 == 0 ? GET : CHUNKED);
            }
            awaitNone(sidecar);
            assertThat(count(sidecar, "failed_total")).isEqualTo(20);
            assertThat(sidecar.metrics().sum("remora_failures_total")).isZero();
        }
    }

    @Test
    void oneThatResetsIsNotNoticed() throws IOException {
        shadow.onRequest(connection -> {
            connection.readHead();
            connection.reset();
        });
        try (Sidecar sidecar = with("percent: 100");
                RawClient client = sidecar.client()) {
            for (int i = 0; i < 20; i++) {
                passes(client, i % 2 == 0 ? GET : POST);
            }
            awaitNone(sidecar);
            assertThat(count(sidecar, "failed_total")).isEqualTo(20);
        }
    }

    /** Nor is one whose responses never end: they are read no further than to a bound. */
    @Test
    void anEndlessResponseIsCut() throws IOException {
        byte[] piece = new byte[64 << 10];
        shadow.onRequest(connection -> {
            connection.readRequest();
            connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
            for (int i = 0; i < 10_000; i++) {
                connection.write(Integer.toHexString(piece.length) + "\r\n");
                connection.write(piece);
                connection.write("\r\n");
            }
        });
        try (Sidecar sidecar = with("percent: 100");
                RawClient client = sidecar.client()) {
            passes(client, GET);
            awaitNone(sidecar);
            assertThat(count(sidecar, "failed_total")).isZero();
        }
    }

    /** What is larger than a copy may be goes to its endpoint whole, and nowhere else. */
    @Test
    void aLargeBodyIsNotCopied() throws IOException {
        int megabytes = 100;
        byte[] piece = new byte[1 << 20];
        Arrays.fill(piece, (byte) 'x');
        backend.onRequest(connection -> {
            RawRequest head = connection.readHead();
            long left = Long.parseLong(head.field("Content-Length"));
            byte[] into = new byte[1 << 16];
            while (left > 0) {
                int read = connection.input().read(into, 0, (int) Math.min(into.length, left));
                if (read < 0) {
                    throw new IOException("cut short");
                }
                left -= read;
            }
            connection.write(RecordingBackend.OK);
        });
        try (Sidecar sidecar = with("body: 64KiB");
                RawClient client = sidecar.client()) {
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " + ((long) megabytes << 20) + "\r\n\r\n");
            for (int i = 0; i < megabytes; i++) {
                client.send(piece);
            }
            assertThat(client.response().bodyText()).isEqualTo("ok");
            assertThat(count(sidecar, "dropped_total", "reason", "body")).isEqualTo(1);
            assertThat(count(sidecar, "started_total")).isZero();
            assertThat(shadow.connections()).isEmpty();
        }
    }

    /** The same where its size shows only as it comes. */
    @Test
    void aChunkedBodyIsCopiedUpToTheBound() throws IOException {
        try (Sidecar sidecar = with("body: 1KiB");
                RawClient client = sidecar.client()) {
            for (int size : new int[] {1_024, 1_025}) {
                StringBuilder request =
                        new StringBuilder("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
                request.append(Integer.toHexString(size))
                        .append("\r\n")
                        .append("y".repeat(size))
                        .append("\r\n0\r\n\r\n");
                passes(client, request.toString());
            }
            awaitNone(sidecar);
            assertThat(shadow.requests()).hasSize(1);
            assertThat(shadow.requests().get(0).body())
                    .isEqualTo("y".repeat(1_024).getBytes(StandardCharsets.US_ASCII));
            assertThat(count(sidecar, "dropped_total", "reason", "body")).isEqualTo(1);
        }
    }

    /** A client that leaves in the middle has no copy made. */
    @Test
    void whatIsNeverWholeIsNotCopied() throws IOException {
        try (Sidecar sidecar = with("percent: 100")) {
            try (RawClient client = sidecar.client()) {
                client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhel");
                Await.until("begun", () -> count(sidecar, "in_flight") == 1 && backend.received().length > 0);
                client.reset();
            }
            Await.until("the backend notices", () -> !backend.problems().isEmpty());
            awaitNone(sidecar);
            assertThat(count(sidecar, "dropped_total", "reason", "incomplete")).isEqualTo(1);
            assertThat(shadow.connections()).isEmpty();
        }
        backend.problems().clear();
    }

    /** Eight standard deviations on either side. */
    @Test
    void takesItsShare() throws IOException {
        int requests = 2_000;
        try (Sidecar sidecar = with("percent: 20");
                RawClient client = sidecar.client()) {
            for (int i = 0; i < requests; i++) {
                passes(client, GET);
            }
            awaitNone(sidecar);
            long copies = count(sidecar, "started_total") + count(sidecar, "dropped_total");
            assertThat(copies).isBetween(400 - 143L, 400 + 143L);
            assertThat(backend.requests()).hasSize(requests);
        }
    }
}
