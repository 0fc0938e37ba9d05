package io.remora.feature.tracing;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.AccessLogFile;
import io.remora.testkit.Await;
import io.remora.testkit.Contract;
import io.remora.testkit.DeadPort;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawRequest;
import io.remora.testkit.SpanCollector;
import io.remora.testkit.TracedSidecar;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the collector learns of exchanges, and what becomes of traffic and spans where it is dead, slow or rude. */
@Contract
final class TraceExportIT {
    private static final String GET = "GET / HTTP/1.1\r\nHost: app\r\n\r\n";
    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final String SPAN = "b7ad6b7169203331";

    private static void ask(TracedSidecar stand, int requests) throws IOException {
        try (RawClient client = stand.sidecar().client()) {
            for (int i = 0; i < requests; i++) {
                assertThat(client.send(GET).response().status()).isEqualTo(200);
            }
        }
    }

    @Test
    void zipkinLearnsOfTheExchangeAndItsAttempt() throws IOException {
        try (TracedSidecar stand = TracedSidecar.everything()) {
            RawRequest got =
                    stand.received("traceparent: 00-" + TRACE + "-" + SPAN + "-00", "User-Agent: a\"\\\u00e9b");
            List<Map<String, Object>> spans = stand.spans(2);
            Map<String, Object> server = SpanCollector.one(spans, "SERVER");
            Map<String, Object> client = SpanCollector.one(spans, "CLIENT");

            assertThat(server).containsEntry("traceId", TRACE).containsEntry("parentId", SPAN);
            assertThat(client).containsEntry("traceId", TRACE).containsEntry("parentId", server.get("id"));
            assertThat(got.field("traceparent")).isEqualTo("00-" + TRACE + "-" + client.get("id") + "-01");
            assertThat(server).containsEntry("name", "GET /");
            assertThat(SpanCollector.map(server.get("localEndpoint"))).containsEntry("serviceName", "remora");
            assertThat(SpanCollector.map(server.get("tags")))
                    .containsEntry("http.request.method", "GET")
                    .containsEntry("url.path", "/a")
                    .containsEntry("url.scheme", "http")
                    .containsEntry("server.address", "app")
                    .containsEntry("client.address", "127.0.0.1")
                    .containsEntry("network.protocol.version", "1.1")
                    .containsEntry("http.response.status_code", "200")
                    .containsEntry("http.route", "/")
                    .containsEntry("user_agent.original", "a\"\\\u00e9b")
                    .containsEntry("remora.attempts", "1")
                    .containsKeys("remora.proxy_us", "remora.backend_us")
                    .doesNotContainKeys("error", "error.type");
            assertThat(server.toString()).as("queries may have secrets").doesNotContain("secret");
            String endpoint = "127.0.0.1:" + stand.backend().port();
            assertThat(SpanCollector.map(client.get("tags")))
                    .containsEntry("remora.endpoint", endpoint)
                    .containsEntry("remora.cluster", "app")
                    .containsEntry("server.port", "" + stand.backend().port())
                    .containsEntry("network.peer.address", "127.0.0.1")
                    .containsEntry("http.response.status_code", "200")
                    .containsKeys("remora.lease_us", "remora.backend_us");
            assertThat(SpanCollector.map(client.get("remoteEndpoint")))
                    .containsEntry("ipv4", "127.0.0.1")
                    .containsEntry("serviceName", "app")
                    .containsEntry("port", stand.backend().port());
            long begun = ((Number) server.get("timestamp")).longValue();
            assertThat(begun / 1_000).isBetween(System.currentTimeMillis() - 60_000, System.currentTimeMillis() + 10);
            assertThat(((Number) client.get("timestamp")).longValue()).isGreaterThanOrEqualTo(begun);
            assertThat(((Number) client.get("duration")).longValue())
                    .isBetween(1L, ((Number) server.get("duration")).longValue());
            RawRequest delivery = stand.deliveries().get(0);
            assertThat(delivery.method() + " " + delivery.target()).isEqualTo("POST /api/v2/spans");
            assertThat(delivery.field("Content-Type")).isEqualTo("application/json");
            Await.until("counted", () -> stand.count("exported") >= 2);
        }
    }

    @Test
    void otlpSaysTheSame() throws IOException {
        try (TracedSidecar stand =
                TracedSidecar.of("sample: 1, service: shop/cart", "format: otlp, interval: 10ms", "")) {
            stand.received("traceparent: 00-" + TRACE + "-" + SPAN + "-00");
            Await.until("delivered", () -> !stand.deliveries().isEmpty());
            RawRequest delivery = stand.deliveries().get(0);
            assertThat(delivery.target()).isEqualTo("/v1/traces");
            Map<String, Object> resource = only(SpanCollector.json(delivery.bodyText()), "resourceSpans");
            assertThat(resource.get("resource").toString())
                    .contains("service.name")
                    .contains("shop/cart");
            List<?> spans = (List<?>) only(resource, "scopeSpans").get("spans");
            assertThat(spans).hasSize(2);
            Map<String, Object> server = SpanCollector.map(spans.get(0));
            Map<String, Object> client = SpanCollector.map(spans.get(1));
            assertThat(server).containsEntry("traceId", TRACE).containsEntry("parentSpanId", SPAN);
            assertThat(server).containsEntry("kind", 2).doesNotContainKey("status");
            assertThat(client).containsEntry("kind", 3).containsEntry("parentSpanId", server.get("spanId"));
            assertThat(server.get("attributes").toString())
                    .contains("{key=http.response.status_code, value={intValue=200}}")
                    .contains("{key=url.path, value={stringValue=/a}}");
            long startNs = Long.parseLong((String) server.get("startTimeUnixNano"));
            assertThat(Long.parseLong((String) server.get("endTimeUnixNano"))).isGreaterThan(startNs);
        }
    }

    private static Map<String, Object> only(Object of, String key) {
        List<?> list = (List<?>) SpanCollector.map(of).get(key);
        assertThat(list).hasSize(1);
        return SpanCollector.map(list.get(0));
    }

    @Test
    void nothingIsRecordedThatIsNotSampled() throws IOException {
        try (TracedSidecar stand = TracedSidecar.of("sample: 0", "format: zipkin, interval: 10ms", "")) {
            ask(stand, 20);
            stand.end();
            assertThat(stand.deliveries()).isEmpty();
        }
    }

    @Test
    void aFailureIsRecordedThoughItsTraceIsNot() throws IOException {
        try (TracedSidecar stand =
                TracedSidecar.of("sample: 0, failures: true", "format: zipkin, interval: 10ms", "")) {
            ask(stand, 5);
            stand.backend().reply("HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n");
            RawRequest got = stand.received();
            assertThat(got.field("traceparent"))
                    .as("who stands behind has not recorded it")
                    .endsWith("-00");
            List<Map<String, Object>> spans = stand.spans(2);
            assertThat(spans).hasSize(2);
            Map<String, Object> client = SpanCollector.one(spans, "CLIENT");
            assertThat(got.field("traceparent"))
                    .isEqualTo("00-" + client.get("traceId") + "-" + client.get("id") + "-00");
            assertThat(SpanCollector.map(SpanCollector.one(spans, "SERVER").get("tags")))
                    .containsEntry("error.type", "503")
                    .containsEntry("error", "503");
        }
    }

    @Test
    void aShareIsAboutThat() throws IOException {
        try (TracedSidecar stand = TracedSidecar.of("sample: 0.25", "format: zipkin, interval: 10ms", "")) {
            ask(stand, 400);
            stand.end();
            // six standard deviations
            assertThat(stand.spans().size() / 2).isBetween(48, 152);
        }
    }

    @Test
    void theAccessLogNamesTheTrace(@TempDir Path directory) throws IOException {
        AccessLogFile log = new AccessLogFile(directory.resolve("access.log"));
        try (TracedSidecar stand = TracedSidecar.logging(log.setting(), "sample: 0")) {
            stand.received("traceparent: 00-" + TRACE + "-" + SPAN + "-00");
            RawRequest begun = stand.received();
            assertThat(log.line(1)).contains("\"trace_id\":\"" + TRACE + "\"");
            assertThat(log.line(2))
                    .contains("\"trace_id\":\"" + begun.field("traceparent").substring(3, 35) + "\"");
        }
    }

    @Test
    void whatWaitsIsDeliveredAtTheEnd() throws IOException {
        try (TracedSidecar stand = TracedSidecar.of("sample: 1", "format: zipkin, interval: 1h", "")) {
            ask(stand, 3);
            assertThat(stand.deliveries()).isEmpty();
            stand.end();
            assertThat(stand.spans()).hasSize(6);
        }
    }

    // ---- collectors that do not do what they should

    @Test
    void aDeadCollectorCostsNothing() throws IOException {
        try (DeadPort dead = new DeadPort();
                TracedSidecar stand = TracedSidecar.before(dead.port(), "interval: 5ms")) {
            ask(stand, 20);
            Await.until("failed", () -> stand.count("failed") > 0);
            assertThat(stand.count("exported")).isZero();
        }
    }

    @Test
    void aCollectorThatDoesNotAnswerCostsTheQueue() throws IOException {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        try (TracedSidecar stand =
                TracedSidecar.of("sample: 1", "format: zipkin, interval: 1ms, queue: 8KiB, timeout: 1h", "")) {
            stand.collector().backend().onRequest(connection -> {
                asked.countDown();
                connection.waitFor(() -> Await.open(end));
            });
            ask(stand, 1);
            Await.open(asked);
            ask(stand, 50);
            assertThat(stand.count("dropped")).isGreaterThan(20);
            assertThat(stand.sidecar().metrics().sum("remora_trace_queue_bytes"))
                    .as("of both arrays")
                    .isBetween(4L << 10, 16L << 10);
            assertThat(stand.sidecar().admin("GET", "/memory").bodyText())
                    .contains("trace_queues_bytes ")
                    .containsPattern("traces_max_bytes [1-9]");
            end.countDown();
        }
    }

    @Test
    void aDeliveryThatTakesTooLongHasFailed() throws IOException {
        try (TracedSidecar stand = TracedSidecar.of("sample: 1", "format: zipkin, interval: 1ms, timeout: 50ms", "")) {
            stand.collector().backend().onRequest(connection -> connection.readToEnd());
            ask(stand, 1);
            Await.until("failed", () -> stand.count("failed") > 0);
            ask(stand, 1);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 400 No\r\nContent-Length: 2\r\n\r\nno",
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
                "nonsense\r\n\r\n"
            })
    void aRudeCollectorIsAskedAgainLater(String answer) throws IOException {
        AtomicInteger asked = new AtomicInteger();
        try (TracedSidecar stand = TracedSidecar.of("sample: 1", "format: zipkin, interval: 5ms", "")) {
            stand.collector().backend().onRequest(connection -> {
                RawRequest request = connection.readRequest();
                if (asked.incrementAndGet() == 1) {
                    if (answer.isEmpty()) {
                        connection.reset();
                    } else {
                        connection.write(answer);
                    }
                } else {
                    stand.deliveries().add(request);
                    connection.write(SpanCollector.TAKEN);
                }
            });
            ask(stand, 1);
            Await.until("failed", () -> stand.count("failed") > 0);
            ask(stand, 1);
            Await.until("exported", () -> stand.count("exported") > 0);
            assertThat(stand.spans()).isNotEmpty();
        }
    }

    @Test
    void aLargeDeliveryGoesAsFastAsItIsTaken() throws IOException {
        try (TracedSidecar stand = TracedSidecar.of("sample: 1", "format: zipkin, interval: 1h, queue: 4MiB", "")) {
            ask(stand, 1_000);
            stand.end();
            assertThat(stand.spans()).hasSize(2_000);
        }
    }
}
