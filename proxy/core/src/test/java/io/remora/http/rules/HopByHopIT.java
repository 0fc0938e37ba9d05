package io.remora.http.rules;

import static io.remora.http.rules.Messages.get;
import static io.remora.http.rules.Messages.post;
import static io.remora.http.rules.Messages.request;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Contract;
import io.remora.testkit.Fields;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawRequest;
import io.remora.testkit.RawResponse;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Fields of a request that are for the sidecar alone and stop here. */
@Contract
final class HopByHopIT {
    @RegisterExtension
    static final Bench BENCH = new Bench();

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "TE: trailers",
        "TE: chunked",
        "'TE: trailers, chunked'",
        "TE: trailers;q=0.5",
        "TE: gzip",
        "te: TRAILERS"
    })
    @DisplayName("Row 34: TE goes out only with TE in Connection, and never names chunked")
    void row34_te(String field) {
        RawRequest request = BENCH.forwarded(get(field, "Connection: TE"));
        assertThat(request.fields().tokens("TE")).isSubsetOf("trailers");
        assertThat(request.fields().tokens("Connection").contains("te"))
                .isEqualTo(request.fields().has("TE"));
        BENCH.mark();
        RawRequest notNominated = BENCH.forwarded(get(field));
        assertThat(notNominated.fields().tokens("TE")).isSubsetOf("trailers");
        assertThat(notNominated.fields().tokens("Connection").contains("te"))
                .isEqualTo(notNominated.fields().has("TE"));
    }

    @Test
    @DisplayName("Row 46: the client's Connection is for the sidecar alone")
    void row46_connectionStopsHere() {
        RawRequest request = BENCH.forwarded(get("Connection: close"));
        assertThat(request.fields().tokens("Connection")).doesNotContain("close");
        assertThat(BENCH.backend.openConnections()).isPositive();
        BENCH.mark();
        assertThat(BENCH.forwarded(get("Connection: keep-alive")).fields().has("Keep-Alive"))
                .isFalse();
    }

    @Test
    @DisplayName("Row 47: what Connection nominates is removed, whatever its letter case and place")
    void row47_nominatedFieldsRemoved() {
        RawRequest request = BENCH.forwarded(get(
                "X-A: 1",
                "x-b: 2",
                "Connection: x-a, close",
                "X-a: 3",
                "X-D: 5",
                "Connection: X-B,,\tX-C ,",
                "X-C: 4"));
        assertThat(request.fields().names())
                .doesNotContain("X-A", "x-b", "X-a", "X-C")
                .contains("X-D");
        assertThat(request.fields().tokens("Connection")).doesNotContain("x-a", "x-b", "x-c", "close");
    }

    @Test
    @DisplayName("Row 47: nominated trailers too")
    void row47_nominatedTrailersRemoved() {
        String body = "2\r\nab\r\n0\r\nX-A: 1\r\nX-B: 2\r\n\r\n";
        RawRequest request = BENCH.forwarded(post(body, "Transfer-Encoding: chunked", "Connection: x-a"));
        assertThat(request.trailers().names()).containsExactly("X-B");
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(
            strings = {
                "Host",
                "Content-Length",
                "Transfer-Encoding",
                "X-Forwarded-For",
                "Via",
                "Connection",
                "Expect",
                "Date",
                ":",
                "@",
                "a b"
            })
    @DisplayName("Row 47: nominating a field that the message stands on does not break it")
    void row47_hostileNominations(String name) throws IOException {
        for (String request : List.of(
                post("abc", "Content-Length: 3", "Connection: " + name),
                post("3\r\nabc\r\n0\r\n\r\n", "Transfer-Encoding: chunked", "Connection: " + name))) {
            BENCH.mark();
            RawClient client = BENCH.client();
            client.send(request);
            RawResponse response = client.response();
            List<RawRequest> requests = BENCH.requestsAtBackend();
            if (response.status() == 200) {
                assertThat(requests)
                        .singleElement()
                        .extracting(RawRequest::bodyText)
                        .isEqualTo("abc");
                assertThat(requests.get(0).field("Host")).isEqualTo("app");
                assertThat(requests.get(0).fields().has("X-Forwarded-For")).isTrue();
            } else {
                assertThat(response.status()).isEqualTo(400);
                assertThat(requests).isEmpty();
            }
        }
    }

    @Test
    @DisplayName("Row 48: hop-by-hop fields are removed without being nominated")
    void row48_hopByHopRemoved() {
        Fields fields = BENCH.forwarded(get(
                        "Proxy-Connection: keep-alive",
                        "Keep-Alive: timeout=5",
                        "TE: gzip",
                        "Upgrade: h2c",
                        "X-Kept: 1"))
                .fields();
        assertThat(fields.has("Proxy-Connection")).isFalse();
        assertThat(fields.has("Keep-Alive")).isFalse();
        assertThat(fields.has("TE")).isFalse();
        assertThat(fields.has("Upgrade")).isFalse();
        assertThat(fields.has("Transfer-Encoding")).isFalse();
        assertThat(fields.has("X-Kept")).isTrue();
    }

    @Test
    @DisplayName("Section 3: hop-by-hop and nominated fields, Via, Max-Forwards, TE and Date, all in one exchange")
    void gap_fieldsTheCodecLeaves() {
        RawResponse response = BENCH.answered(
                request(
                        "OPTIONS / HTTP/1.1",
                        "Connection: X-A",
                        "X-A: 1",
                        "Keep-Alive: 1",
                        "TE: gzip",
                        "Max-Forwards: 3",
                        "Via: 1.1 a"),
                "OPTIONS",
                Messages.ok("ok", "Connection: X-B", "X-B: 1", "Keep-Alive: 1", "Content-Length: 2"));
        assertThat(response.fields().names()).doesNotContain("X-B", "Keep-Alive");
        assertThat(response.fields().all("Date")).hasSize(1);
        Fields fields = BENCH.requestsAtBackend().get(0).fields();
        assertThat(fields.names()).doesNotContain("X-A", "Keep-Alive", "TE");
        assertThat(fields.first("Max-Forwards")).isEqualTo("2");
        assertThat(fields.tokens("Via")).hasSize(2);
    }
}
