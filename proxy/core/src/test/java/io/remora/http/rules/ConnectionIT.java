package io.remora.http.rules;

import static io.remora.http.rules.Messages.GET;
import static io.remora.http.rules.Messages.bare;
import static io.remora.http.rules.Messages.get;
import static io.remora.http.rules.Messages.ok;
import static io.remora.http.rules.Messages.post;
import static io.remora.http.rules.Messages.request;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.Contract;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawRequest;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Wire;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that share connections: order, pairing, keep-alive and its end. */
@Contract
final class ConnectionIT {
    @RegisterExtension
    static final Bench BENCH = new Bench("limits: { body: 10B }", "");

    private static String path(String path, String... lines) {
        return request("GET " + path + " HTTP/1.1", lines);
    }

    /** Answers with the target, so that each response tells its request. */
    private static final RecordingBackend.Script ECHO_TARGET = connection -> {
        RawRequest request = connection.readRequest();
        String body = request.target();
        connection.write(ok(
                request.method().equals("HEAD") ? "" : body, "X-Target: " + body, "Content-Length: " + body.length()));
    };

    @Test
    @DisplayName("Row 35: interim responses do not use up a request")
    void row35_interimDoNotConsume() throws IOException {
        BENCH.backend.onRequest(connection -> {
            RawRequest request = connection.readRequest();
            connection.write("HTTP/1.1 103 Early Hints\r\nX-Target: " + request.target() + "\r\n\r\n");
            connection.write("HTTP/1.1 100 Continue\r\n\r\n");
            String body = request.method().equals("HEAD") ? "" : request.target();
            connection.write(ok(body, "X-Target: " + request.target(), "Content-Length: 2"));
        });
        RawClient client = BENCH.client();
        client.send(path("/a") + request("HEAD /b HTTP/1.1") + path("/c"));
        for (String target : List.of("/a", "/b", "/c")) {
            RawResponse response = client.response(target.equals("/b") ? "HEAD" : "GET");
            assertThat(response.field("X-Target")).isEqualTo(target);
            assertThat(response.interim().get(0).field("X-Target")).isEqualTo(target);
        }
    }

    @Test
    @DisplayName("Row 36: an unread body is never taken for the next request")
    void row36_unreadBodyClosesConnection() throws IOException {
        RawClient client = BENCH.client();
        client.trySend(Wire.bytes(post("x".repeat(11) + path("/smuggled"), "Content-Length: 11")));
        RawResponse response = client.response();
        assertThat(response.status()).isEqualTo(413);
        assertThat(client.closedByPeer()).isTrue();
        assertThat(BENCH.atBackend()).isEmpty();
    }

    @Test
    @DisplayName("Row 36: a chunked body that grows over the limit")
    void row36_chunkedBodyOverLimit() {
        BENCH.cut(post("b\r\n" + path("/") + "\r\n0\r\n\r\n", "Transfer-Encoding: chunked"), 413, 400);
    }

    @Test
    @DisplayName("Row 36: a backend that answers before the body is there")
    void row36_earlyResponse() throws IOException {
        BENCH.backend.onRequest(connection -> {
            connection.readHead();
            connection.write("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n");
            connection.readToEnd();
        });
        RawClient client = BENCH.client();
        client.send(post("12345", "Content-Length: 10"));
        assertThat(client.response().status()).isEqualTo(403);
        BENCH.backend.onRequest(ECHO_TARGET);
        boolean sent = client.trySend(Wire.bytes("67890" + path("/next")));
        String rest = Wire.text(client.shutdownOutputQuietly().readToEnd());
        assertThat(rest.isEmpty() || sent && rest.startsWith("HTTP/1.1 200 ") && rest.endsWith("/next"))
                .as(rest)
                .isTrue();
    }

    @Test
    @DisplayName("Row 37: pipelined requests are answered in their order")
    void row37_pipelinedInOrder() throws IOException {
        AtomicBoolean released = new AtomicBoolean();
        BENCH.backend.onRequest(connection -> {
            RawRequest request = connection.readRequest();
            if (request.target().equals("/slow")) {
                Await.until("released", released::get);
            }
            connection.write(
                    ok(request.target(), "Content-Length: " + request.target().length()));
        });
        RawClient client = BENCH.client();
        client.send(path("/slow") + path("/fast") + path("/last"));
        BENCH.sidecar().barrier();
        released.set(true);
        assertThat(client.response().bodyText()).isEqualTo("/slow");
        assertThat(client.response().bodyText()).isEqualTo("/fast");
        assertThat(client.response().bodyText()).isEqualTo("/last");
    }

    @Test
    @DisplayName("Section 3: hundreds of pipelined requests are answered, all in order")
    void gap_pipelineBounded() throws IOException {
        BENCH.backend.onRequest(ECHO_TARGET);
        RawClient client = BENCH.client();
        StringBuilder pipeline = new StringBuilder();
        for (int i = 0; i < 200; i++) {
            pipeline.append(path("/" + i));
        }
        client.send(pipeline.toString());
        for (int i = 0; i < 200; i++) {
            assertThat(client.response().bodyText()).isEqualTo("/" + i);
        }
    }

    @Test
    @DisplayName("Section 3: never two requests at once on a backend's connection")
    void gap_neverPipelinesTowardsBackend() throws IOException {
        AtomicInteger early = new AtomicInteger();
        BENCH.backend.onRequest(connection -> {
            connection.readRequest();
            BENCH.sidecar().barrier();
            early.addAndGet(connection.input().available());
            connection.write(RecordingBackend.OK);
        });
        RawClient client = BENCH.client();
        client.send(GET + GET + GET);
        for (int i = 0; i < 3; i++) {
            client.response();
        }
        assertThat(early).hasValue(0);
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(
            strings = {"X: y", "Connection: keep-alive", "Connection: Keep-Alive, X-A", "Proxy-Connection: keep-alive"})
    @DisplayName("Row 38: no connection persists with an HTTP/1.0 client")
    void row38_oldClientDoesNotPersist(String line) throws IOException {
        RawClient client = BENCH.client();
        client.send(bare("GET / HTTP/1.0", "Host: app", line) + bare("GET /second HTTP/1.0", "Host: app"));
        String raw = Wire.text(client.readToEnd());
        assertThat(raw).startsWith("HTTP/1.1 200 ").endsWith("\r\n\r\nok").doesNotContainIgnoringCase("keep-alive");
        assertThat(BENCH.requestsAtBackend()).hasSize(1);
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(
            strings = {"Connection: close", "connection: X-A,CLOSE", "Connection: keep-alive\r\nConnection: close"})
    @DisplayName("Row 39: behind Connection: close nothing is processed")
    void row39_closeEndsProcessing(String line) throws IOException {
        RawClient client = BENCH.client();
        client.send(get(line) + path("/second"));
        RawResponse response = client.response();
        assertThat(response.fields().tokens("Connection")).contains("close");
        assertThat(client.closedByPeer()).isTrue();
        assertThat(BENCH.requestsAtBackend()).hasSize(1);
    }

    @Test
    @DisplayName("Row 39: nor behind a request that was refused")
    void row39_refusalEndsProcessing() throws IOException {
        BENCH.refused("GET / HTTP/9.9\r\nHost: app\r\n\r\n" + path("/second"), 505);
        RawClient client = BENCH.client();
        client.send(GET + bare("BAD") + path("/third"));
        assertThat(client.response().status()).isEqualTo(200);
        assertThat(client.response().status()).isEqualTo(400);
        assertThat(client.closedByPeer()).isTrue();
        assertThat(BENCH.requestsAtBackend()).hasSize(1);
    }

    @ParameterizedTest(name = "{index}")
    @ValueSource(
            strings = {
                "\u000b",
                "\0",
                "BAD\r\n",
                "GET / HTTP/1.1\r\nX\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: app\r\nX: \0\r\n\r\n"
            })
    @DisplayName("Row 39: what is refused is refused behind the answer to what came before it")
    void row39_refusalWaitsItsTurn(String refused) throws IOException {
        RawClient client = BENCH.client();
        client.send(GET + refused + path("/third"));
        assertThat(client.response().status()).isEqualTo(200);
        assertThat(client.response().status()).isEqualTo(400);
        assertThat(client.closedByPeer()).isTrue();
        assertThat(BENCH.requestsAtBackend()).hasSize(1);
    }

    @Test
    @DisplayName("Row 39: a backend that says close is not asked again on that connection")
    void row39_backendClose() throws IOException {
        BENCH.backend.reply(ok("ok", "Connection: close", "Content-Length: 2"));
        RawClient client = BENCH.client();
        for (int i = 0; i < 3; i++) {
            assertThat(client.send(GET).response().status()).isEqualTo(200);
        }
        BENCH.requestsAtBackend();
        Await.until("each on its own connection", () -> BENCH.backend.openConnections() == 0);
    }

    @Test
    @DisplayName("Row 68: requests of one connection share nothing")
    void row68_requestsShareNothing() throws IOException {
        RawClient client = BENCH.client();
        client.send(get("Authorization: Basic YTpi", "Cookie: a=b", "X-Forwarded-For: 10.0.0.1"))
                .response();
        client.send(GET).response();
        List<RawRequest> requests = BENCH.requestsAtBackend();
        assertThat(requests).hasSize(2);
        assertThat(requests.get(0).fields().has("Authorization")).isTrue();
        assertThat(requests.get(1).fields().has("Authorization")).isFalse();
        assertThat(requests.get(1).fields().has("Cookie")).isFalse();
        assertThat(requests.get(1).field("X-Forwarded-For")).isEqualTo("127.0.0.1");
    }

    @Test
    @DisplayName("Row 69: nothing happens before the whole header section is there")
    void row69_wholeHeaderSectionFirst() throws IOException {
        int before = BENCH.backend.connections().size();
        String whole = post("abc", "X-A: 1", "Content-Length: 3");
        int end = whole.indexOf("\r\n\r\n") + 3;
        RawClient client = BENCH.client();
        client.send(whole.substring(0, end));
        BENCH.sidecar().barrier();
        assertThat(BENCH.atBackend()).isEmpty();
        assertThat(BENCH.backend.connections()).hasSize(before);
        assertThat(client.send(whole.substring(end)).response().status()).isEqualTo(200);
        assertThat(BENCH.requestsAtBackend()).hasSize(1);
    }

    @ParameterizedTest(name = "{index}")
    @ValueSource(
            strings = {
                "",
                "G",
                "\r",
                "GET / HTTP/1.1\r\nHost: app\r\n",
                "POST / HTTP/1.1\r\nHost: app\r\nContent-Length: 5\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: app\r\nContent-Length: 5\r\n\r\n1234",
                "POST / HTTP/1.1\r\nHost: app\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n"
            })
    @DisplayName("A client that ends its side gets its answers, and an unfinished request does not keep the connection")
    void halfClosedBehindUnfinishedRequest(String unfinished) throws IOException {
        RawClient client = BENCH.client().readTimeoutMs(5_000);
        client.send(GET + GET + unfinished).shutdownOutput();
        assertThat(client.response().status()).isEqualTo(200);
        assertThat(client.response().status()).isEqualTo(200);
        assertThat(Wire.text(client.readToEnd())).matches("(?s)|HTTP/1.1 400 .*");
        RawClient idle = BENCH.client().readTimeoutMs(5_000);
        idle.send(unfinished).shutdownOutput();
        assertThat(Wire.text(idle.readToEnd())).matches("(?s)|HTTP/1.1 400 .*");
    }
}
