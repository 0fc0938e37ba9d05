package io.remora.route;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Contract;
import io.remora.testkit.Failure;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Setup;
import io.remora.testkit.Stand;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Which backend a request goes to. */
@Contract
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
        stand.start(Setup.before(backends).routes(matches));
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

    /** How each of these compares is a matter of {@code RouterTest}; here that the request's own parts are compared. */
    @Test
    void byHostPathAndMethod() throws IOException {
        routes(
                "{ host: app.example }",
                "{ host: '*.wild.example' }",
                "{ path: /exact }",
                "{ prefix: /pre }",
                "{ method: PURGE }");
        assertThat(taken("GET / HTTP/1.1", "Host: APP.Example:8080")).isEqualTo("0");
        assertThat(taken("GET http://app.example/ HTTP/1.1", "Host: other")).isEqualTo("0");
        assertThat(taken("GET / HTTP/1.1", "Host: a.wild.example")).isEqualTo("1");
        assertThat(taken("GET http://a.wild.example/ HTTP/1.1", "Host: other")).isEqualTo("1");
        assertThat(taken("GET /exact?q=1 HTTP/1.1", "Host: a")).isEqualTo("2");
        assertThat(taken("GET /pre/a/b HTTP/1.1", "Host: a")).isEqualTo("3");
        assertThat(taken("PURGE / HTTP/1.1", "Host: a", "Content-Length: 0")).isEqualTo("4");
        assertThat(taken("get / HTTP/1.1", "Host: a")).isEqualTo("none");
    }

    /** A host is one host in every spelling, so that none of them reaches a route that is there for others. */
    @Test
    void bySpellingsOfOneHost() throws IOException {
        routes("{ host: app.example. }", "{ host: '*.Wild.example.' }", "{ host: '[::1]' }", "{}");
        for (String host : List.of("app.example.", "APP.example.:80", "app.example:", "%61pp.example")) {
            assertThat(taken("GET / HTTP/1.1", "Host: " + host)).as(host).isEqualTo("0");
            assertThat(taken("GET http://" + host + "/ HTTP/1.1", "Host: other"))
                    .as(host)
                    .isEqualTo("0");
            // as sent
            assertThat(stand.backend.requests().get(0).field("Host")).isEqualTo("app.example.");
        }
        assertThat(taken("GET / HTTP/1.1", "Host: a.wild.example.")).isEqualTo("1");
        assertThat(taken("GET / HTTP/1.1", "Host: [0:0::0:1]:80")).isEqualTo("2");
        assertThat(taken("GET / HTTP/1.1", "Host: app.example..")).isEqualTo("3");
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
            stand.start(Setup.before(stand.backend, second).cluster("balancer: round-robin"));
            for (int i = 0; i < 6; i++) {
                assertThat(stand.get().bodyText()).isEqualTo("ok");
            }
            assertThat(stand.backend.requests()).hasSize(3);
            assertThat(second.requests()).hasSize(3);
        }
    }
}
