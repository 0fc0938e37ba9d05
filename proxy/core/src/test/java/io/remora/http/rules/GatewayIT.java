package io.remora.http.rules;

import static io.remora.http.rules.Messages.GET;
import static io.remora.http.rules.Messages.get;
import static io.remora.http.rules.Messages.ok;
import static io.remora.http.rules.Messages.post;
import static io.remora.http.rules.Messages.request;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Contract;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.StrictHttp;
import io.remora.testkit.Wire;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a gateway owes the backend: no loop, no request twice. */
@Contract
final class GatewayIT {
    @RegisterExtension
    static final Bench BENCH = new Bench();

    private final Set<String> seen = ConcurrentHashMap.newKeySet();

    @BeforeEach
    void forget() {
        seen.clear();
    }

    /** Answers a connection's first request, and ends the connection on its second without a byte of response. */
    private final RecordingBackend.Script closesOnSecond = connection -> {
        String target = connection.readRequest().target();
        boolean firstOnConnection = StrictHttp.requests(connection.received()).size() == 1;
        if (!firstOnConnection && seen.add(target)) {
            connection.close();
            return;
        }
        connection.write(RecordingBackend.OK);
    };

    @Test
    @DisplayName("Row 49: a request that comes round is refused")
    void row49_loop() throws IOException {
        BENCH.backend.onRequest(connection -> {
            connection.readRequest();
            byte[] received = connection.received();
            try (RawClient again = BENCH.sidecar().client()) {
                RawResponse inner = again.send(received).response();
                connection.write(ok("", "X-Inner: " + inner.status(), "Content-Length: 0"));
            }
        });
        RawResponse response = BENCH.client().send(GET).response();
        assertThat(response.field("X-Inner")).isEqualTo("508");
        assertThat(BENCH.requestsAtBackend()).hasSize(1);
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"GET", "HEAD", "PUT", "DELETE", "OPTIONS"})
    @DisplayName("Row 59: what may be repeated is, once, on a fresh connection")
    void row59_retriesIdempotent(String method) throws IOException {
        BENCH.backend.onRequest(closesOnSecond);
        RawClient client = BENCH.client();
        assertThat(client.send(GET).response().status()).isEqualTo(200);
        assertThat(client.send(request(method + " /" + method + " HTTP/1.1"))
                        .response(method)
                        .status())
                .isEqualTo(200);
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"POST", "PATCH", "LOCK", "X-OWN", "get"})
    @DisplayName("Row 59: what may not be repeated reaches a backend once")
    void row59_neverRetriesOthers(String method) throws IOException {
        BENCH.backend.onRequest(closesOnSecond);
        RawClient client = BENCH.client();
        assertThat(client.send(GET).response().status()).isEqualTo(200);
        RawResponse response = client.send(request(method + " /once HTTP/1.1", "Content-Length: 0"))
                .response();
        assertThat(response.status()).isEqualTo(502);
        assertThat(BENCH.requestsAtBackend().stream()
                        .filter(request -> request.target().equals("/once")))
                .hasSize(1);
    }

    @Test
    @DisplayName("Row 59: nor what has begun to be answered")
    void row59_neverRetriesAnsweredRequests() throws IOException {
        BENCH.backend.onRequest(connection -> {
            String target = connection.readRequest().target();
            if (target.equals("/half")) {
                connection.write("HTTP/1.1 2");
                connection.close();
                return;
            }
            connection.write(RecordingBackend.OK);
        });
        RawClient client = BENCH.client();
        assertThat(client.send(GET).response().status()).isEqualTo(200);
        assertThat(client.send(request("GET /half HTTP/1.1")).response().status())
                .isEqualTo(502);
        assertThat(BENCH.requestsAtBackend()).hasSize(2);
    }

    @Test
    @DisplayName("Row 59: a fresh connection that closes is not tried again")
    void row59_neverRetriesFreshConnection() throws IOException {
        BENCH.backend.onRequest(connection -> {
            connection.readRequest();
            connection.close();
        });
        assertThat(BENCH.client().send(GET).response().status()).isEqualTo(502);
        assertThat(BENCH.requestsAtBackend()).hasSizeLessThanOrEqualTo(2);
    }

    @Test
    @DisplayName("Row 66: no response of the sidecar's own is 421")
    void row66_neverMisdirected() {
        for (String host : new String[] {"unknown.example", "127.0.0.1:1", "[::1]:443"}) {
            BENCH.mark();
            BENCH.forwarded(Messages.bare("GET / HTTP/1.1", "Host: " + host));
        }
    }

    @Test
    @DisplayName("A refusal is short plain text with a label, and valid HTTP")
    void failuresArePlainText() throws IOException {
        RawResponse response = BENCH.refused(get("X : y"), 400);
        assertThat(response.field("Content-Type")).startsWith("text/plain");
        assertThat(response.body()).hasSizeBetween(1, 200);
        assertThat(response.fields().all("Date")).hasSize(1);
        String toHead = Wire.text(
                BENCH.client().send(Messages.bare("HEAD / HTTP/1.1", "X: y")).readToEnd());
        assertThat(toHead).startsWith("HTTP/1.1 400 ").endsWith("\r\n\r\n").containsOnlyOnce("\r\n\r\n");
        BENCH.mark();
        BENCH.refused(post("", "Transfer-Encoding: x, chunked"), 501);
    }
}
