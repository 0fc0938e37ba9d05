package io.remora.feature.tracing;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawRequest;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Sidecar;
import io.remora.testkit.SpanCollector;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Several attempts at one request are several spans, and each endpoint knows its own. */
final class TraceAttemptsIT {
    private static final String YAML = """
            admin: {address: "127.0.0.1:0"}
            log-level: error
            tracing: {sample: 1, export: {format: zipkin, cluster: collector, interval: 10ms}}
            listeners:
              - name: test
                address: "127.0.0.1:0"
                routes:
                  - {name: all, cluster: app, ROUTE}
              - {name: barrier, address: "127.0.0.1:0", cluster: barrier}
            clusters:
              app:
                endpoints:
                  - "127.0.0.1:${BACKEND}"
                  - {address: "127.0.0.1:${BACKEND_1}", priority: 1}
                CLUSTER
              collector: {endpoints: ["127.0.0.1:${BACKEND_2}"]}
              barrier: {endpoints: ["127.0.0.1:${BARRIER}"]}
            """;

    private static final String GET = "GET / HTTP/1.1\r\nHost: app\r\n\r\n";

    private final RecordingBackend first = RecordingBackend.start();
    private final RecordingBackend other = RecordingBackend.start();
    private final SpanCollector collector = new SpanCollector();

    @AfterEach
    void close() {
        first.close();
        other.close();
        collector.close();
    }

    private Sidecar sidecar(String route, String cluster) {
        return Sidecar.of(YAML.replace("ROUTE", route).replace("CLUSTER", cluster), first, other, collector.backend());
    }

    private List<Map<String, Object>> spansOf(String traceId) {
        return collector.spans().stream()
                .filter(span -> traceId.equals(span.get("traceId")))
                .toList();
    }

    private static String parent(RawRequest request) {
        return request.field("traceparent").substring(36, 52);
    }

    private void assertTwoAttempts(RawRequest one, RawRequest two) {
        String traceId = one.field("traceparent").substring(3, 35);
        assertThat(two.field("traceparent")).contains(traceId);
        Await.until("three spans", () -> spansOf(traceId).size() == 3);
        List<Map<String, Object>> spans = spansOf(traceId);
        Object server = SpanCollector.one(
                        spans.stream()
                                .filter(span -> "SERVER".equals(span.get("kind")))
                                .toList(),
                        "SERVER")
                .get("id");
        for (RawRequest request : List.of(one, two)) {
            assertThat(spans)
                    .filteredOn(span -> parent(request).equals(span.get("id")))
                    .singleElement()
                    .satisfies(span ->
                            assertThat(span).containsEntry("kind", "CLIENT").containsEntry("parentId", server));
        }
        assertThat(parent(one)).isNotEqualTo(parent(two));
    }

    @Test
    void aRetryIsASpanOfItsOwn() throws IOException {
        first.reply("HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n");
        try (Sidecar sidecar = sidecar("retries: {back-off: 1ms}", "")) {
            try (RawClient client = sidecar.client()) {
                assertThat(client.send(GET).response().status()).isEqualTo(200);
            }
            assertTwoAttempts(first.requests().get(0), other.requests().get(0));
            assertThat(collector.spans())
                    .filteredOn(span -> SpanCollector.map(span.get("tags")).containsKey("http.request.resend_count"))
                    .singleElement()
                    .satisfies(span -> assertThat(SpanCollector.map(span.get("tags")))
                            .containsEntry("http.response.status_code", "200")
                            .containsEntry("http.request.resend_count", "1"));
            assertThat(collector.spans())
                    .filteredOn(span -> SpanCollector.map(span.get("tags")).containsKey("error.type"))
                    .singleElement()
                    .satisfies(span -> assertThat(SpanCollector.map(span.get("tags")))
                            .containsEntry("error.type", "503")
                            .containsEntry("remora.endpoint", "127.0.0.1:" + first.port()));
        }
    }

    @Test
    void ofAHedgeEachEndpointKnowsItsOwnSpan() throws IOException {
        CountDownLatch end = new CountDownLatch(1);
        try (Sidecar sidecar = sidecar("hedge: {min-delay: 20ms}", "")) {
            try (RawClient client = sidecar.client()) {
                for (int i = 0; i < 120; i++) {
                    assertThat(client.send(GET).response().status()).isEqualTo(200);
                }
                int before = other.requests().size();
                int asked = first.requests().size();
                first.onRequest(connection -> {
                    connection.readRequest();
                    connection.waitFor(() -> Await.open(end));
                });
                assertThat(client.send(GET).response().status()).isEqualTo(200);
                RawRequest slow = first.requests().get(asked);
                RawRequest hedge = other.requests().get(before);
                assertTwoAttempts(slow, hedge);
            }
            end.countDown();
        }
    }
}
