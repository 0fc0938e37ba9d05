package io.remora.dataplane;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.http.Failure;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Sidecar;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which backend a request goes to. */
final class RoutingIT {
    @RegisterExtension
    final Stand stand = new Stand();

    private final List<RecordingBackend> others = new ArrayList<>();

    @AfterEach
    void close() {
        others.forEach(RecordingBackend::close);
    }

    /** A route each, to a backend each that answers with the route's position. */
    private void routes(String... matches) {
        RecordingBackend[] backends = new RecordingBackend[matches.length];
        for (int i = 0; i < matches.length; i++) {
            backends[i] = i == 0 ? stand.backend : RecordingBackend.start();
            backends[i].reply("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n" + i);
            if (i > 0) {
                others.add(backends[i]);
            }
        }
        stand.use(Routes.to(backends, matches));
    }

    /** The position of the route that took it, or "none". */
    private String taken(String requestLine, String... lines) throws IOException {
        StringBuilder request = new StringBuilder(requestLine).append("\r\n");
        List.of(lines).forEach(line -> request.append(line).append("\r\n"));
        RawClient client = stand.client();
        RawResponse response = client.send(request.append("\r\n").toString()).response();
        if (response.status() == 404) {
            assertThat(response.field("Remora-Error")).isEqualTo(Failure.NO_ROUTE.label());
            return "none";
        }
        return response.bodyText();
    }

    @ParameterizedTest
    @CsvSource({
        "app.example, 0",
        "APP.Example, 0",
        "app.example:8080, 0",
        "app.example., none",
        "x.app.example, none",
        "example, none",
        "a.wild.example, 1",
        "a.b.wild.example, 1",
        "A.Wild.EXAMPLE:80, 1",
        "wild.example, none",
        "xwild.example, none",
        "a.wild.example.org, none",
        "127.0.0.1, 2",
        "127.0.0.1:1, 2",
        "[::1], none",
    })
    void byHost(String host, String expected) throws IOException {
        routes("{ host: app.example }", "{ host: '*.wild.example' }", "{ host: 127.0.0.1 }");
        assertThat(taken("GET / HTTP/1.1", "Host: " + host)).isEqualTo(expected);
        assertThat(taken("GET http://" + host + "/ HTTP/1.1", "Host: other")).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "/exact, 0",
        "/exact?q=1, 0",
        "/exact?, 0",
        "/exact/, none",
        "/exact/x, none",
        "/Exact, none",
        "/pre, 1",
        "/pre/, 1",
        "/pre/a/b, 1",
        "/pre?x, 1",
        "/prefix, none",
        "/pr, none",
        "/pre%2Fa, none",
        "//pre, none",
        "/slash/, 2",
        "/slash/x, 2",
        "/slash, none",
        "/, none",
    })
    void byPath(String target, String expected) throws IOException {
        routes("{ path: /exact }", "{ prefix: /pre }", "{ prefix: /slash/ }");
        assertThat(taken("GET " + target + " HTTP/1.1", "Host: a")).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"GET, 0", "POST, 1", "get, none", "PURGE, 2", "DELETE, none"})
    void byMethod(String method, String expected) throws IOException {
        routes("{ method: GET }", "{ method: POST }", "{ method: PURGE }");
        assertThat(taken(method + " / HTTP/1.1", "Host: a", "Content-Length: 0"))
                .isEqualTo(expected);
    }

    @Test
    void byHeaders() throws IOException {
        routes("{ headers: { X-Tier: gold, x-zone: b } }", "{ headers: { x-tier: gold } }");
        assertThat(taken("GET / HTTP/1.1", "Host: a", "x-TIER: gold", "X-Zone: b"))
                .isEqualTo("0");
        assertThat(taken("GET / HTTP/1.1", "Host: a", "X-Tier: gold")).isEqualTo("1");
        assertThat(taken("GET / HTTP/1.1", "Host: a", "X-Tier: Gold")).isEqualTo("none");
        assertThat(taken("GET / HTTP/1.1", "Host: a", "X-Tier: silver", "X-Tier: gold"))
                .isEqualTo("1");
        assertThat(taken("GET / HTTP/1.1", "Host: a", "X-Zone: b")).isEqualTo("none");
    }

    @Test
    void byTheFirstThatMatches() throws IOException {
        routes("{ prefix: /a, method: POST }", "{ prefix: /a }", "{ host: h }", "{}");
        assertThat(taken("POST /a/b HTTP/1.1", "Host: h", "Content-Length: 0")).isEqualTo("0");
        assertThat(taken("GET /a/b HTTP/1.1", "Host: h")).isEqualTo("1");
        assertThat(taken("GET /b HTTP/1.1", "Host: h")).isEqualTo("2");
        assertThat(taken("GET /b HTTP/1.1", "Host: x")).isEqualTo("3");
        assertThat(taken("OPTIONS * HTTP/1.1", "Host: x")).isEqualTo("3");
    }

    @Test
    void toNoneIsAFailureThatKeepsTheConnection() throws IOException {
        routes("{ path: /there }");
        RawClient client = stand.client();
        client.send("GET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n");
        RawResponse response = stand.refused(client.response(), Failure.NO_ROUTE);
        assertThat(response.fields().has("Connection")).isFalse();
        client.send("GET /there HTTP/1.1\r\nHost: a\r\n\r\n");
        assertThat(client.response().bodyText()).isEqualTo("0");
    }

    /** A body that nobody will read ends the connection. */
    @Test
    void toNoneWithABodyEndsTheConnection() throws IOException {
        routes("{ path: /there }");
        RawClient client = stand.client();
        client.send("POST /nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhe");
        RawResponse response = stand.refused(client.response(), Failure.NO_ROUTE);
        assertThat(response.fields().tokens("Connection")).contains("close");
        assertThat(client.closedByPeer()).isTrue();
    }

    /** Endpoints of a cluster take turns. */
    @Test
    void toEachEndpointInTurn() throws IOException {
        try (RecordingBackend second = RecordingBackend.start()) {
            stand.use(Sidecar.of("""
                    log-level: warn
                    admin: { address: "127.0.0.1:0" }
                    listeners:
                      - { name: test, address: "127.0.0.1:0", cluster: app }
                      - { name: barrier, address: "127.0.0.1:0", cluster: barrier }
                    clusters:
                      app: { endpoints: ["127.0.0.1:${BACKEND}", "127.0.0.1:${BACKEND_1}"] }
                      barrier: { endpoints: ["127.0.0.1:${BARRIER}"] }
                    """, stand.backend, second));
            for (int i = 0; i < 6; i++) {
                assertThat(stand.get().bodyText()).isEqualTo("ok");
            }
            assertThat(stand.backend.requests()).hasSize(3);
            assertThat(second.requests()).hasSize(3);
        }
    }
}
