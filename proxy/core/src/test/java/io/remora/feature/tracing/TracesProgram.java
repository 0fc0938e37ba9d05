package io.remora.feature.tracing;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.Proxy;
import io.remora.seams.SeamStand;
import io.remora.testkit.Await;
import io.remora.testkit.Counterpart;
import io.remora.testkit.FreePort;
import io.remora.testkit.RawClient;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.SpanCollector;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Traces in Jaeger, by OTLP, and exemplars in Prometheus, both as their own queries tell of them. Not among the tests of each build: {@code
 * scripts/test-traces} runs it.
 */
final class TracesProgram {
    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final String SPAN = "b7ad6b7169203331";
    private static final String YAML = """
            tracing:
              sample: 1
              failures: true
              service: shop
              export: {format: otlp, cluster: jaeger, interval: 20ms}
            listeners:
              - name: ingress
                address: "127.0.0.1:0"
                routes:
                  - {name: cart, match: {prefix: /cart}, cluster: app, rewrite: {prefix: /v2/cart}}
                  - {name: all, match: {prefix: /}, cluster: app}
            clusters:
              app: {endpoints: ["127.0.0.1:APP"]}
              jaeger: {endpoints: ["127.0.0.1:JAEGER"]}
            """;

    @TempDir
    Path directory;

    private final RecordingBackend backend = RecordingBackend.start().replyOk();

    @AfterEach
    void close() {
        backend.close();
    }

    private Proxy start(int collector) throws IOException {
        return Proxy.start(
                SeamStand.config(YAML.replace("APP", "" + backend.port()).replace("JAEGER", "" + collector)));
    }

    private static void ask(Proxy proxy, String target, String trace) throws IOException {
        try (RawClient client = RawClient.connect(proxy.address("ingress"))) {
            client.send("GET " + target + " HTTP/1.1\r\nHost: shop\r\nUser-Agent: a\"\\\u00e9b\r\ntraceparent: 00-"
                            + trace + "-" + SPAN + "-01\r\n\r\n")
                    .response();
        }
    }

    private static List<Map<String, Object>> list(Object of, String key) {
        List<Map<String, Object>> list = new ArrayList<>();
        if (SpanCollector.map(of).get(key) instanceof List<?> all) {
            for (Object one : all) {
                list.add(SpanCollector.map(one));
            }
        }
        return list;
    }

    /** The spans of a trace, as Jaeger's query service tells of them. */
    private static List<Map<String, Object>> trace(Counterpart jaeger, int queryPort, String traceId) {
        List<Map<String, Object>> spans = new ArrayList<>();
        Await.until("the trace", () -> {
            Object answer = SpanCollector.json(jaeger.get(queryPort, "/api/traces/" + traceId));
            spans.clear();
            for (Map<String, Object> found : list(answer, "data")) {
                assertThat(found).containsEntry("traceID", traceId);
                assertThat(found.get("processes").toString()).contains("serviceName=shop");
                spans.addAll(list(found, "spans"));
            }
            return spans.size() == 2;
        });
        return spans;
    }

    private static Map<String, Object> tags(Map<String, Object> span) {
        Map<String, Object> tags = new HashMap<>();
        for (Map<String, Object> tag : list(span, "tags")) {
            tags.put((String) tag.get("key"), tag.get("value"));
        }
        return tags;
    }

    private static Map<String, Object> ofKind(List<Map<String, Object>> spans, String kind) {
        return spans.stream()
                .filter(span -> kind.equals(tags(span).get("span.kind")))
                .findFirst()
                .orElseThrow(() -> new AssertionError(kind + ": " + spans));
    }

    private static Map<String, Object> parentOf(Map<String, Object> span) {
        List<Map<String, Object>> references = list(span, "references");
        assertThat(references).hasSize(1);
        return references.get(0);
    }

    @Test
    void jaegerTellsOfARequestAndOfOneThatFailed() throws IOException {
        int query = FreePort.next();
        try (Counterpart jaeger = Counterpart.jaeger(directory, query);
                Proxy proxy = start(jaeger.port())) {
            ask(proxy, "/cart?secret=x", TRACE);
            List<Map<String, Object>> spans = trace(jaeger, query, TRACE);
            Map<String, Object> server = ofKind(spans, "server");
            Map<String, Object> client = ofKind(spans, "client");
            assertThat(server).containsEntry("operationName", "GET /cart");
            assertThat(parentOf(server)).containsEntry("spanID", SPAN).containsEntry("refType", "CHILD_OF");
            assertThat(parentOf(client)).containsEntry("spanID", server.get("spanID"));
            assertThat(backend.requests().get(0).field("traceparent"))
                    .isEqualTo("00-" + TRACE + "-" + client.get("spanID") + "-01");
            assertThat(tags(server))
                    .containsEntry("url.path", "/cart")
                    .containsEntry("http.response.status_code", 200)
                    .containsEntry("user_agent.original", "a\"\\\u00e9b")
                    .containsEntry("remora.route", "cart")
                    .doesNotContainKey("error");
            assertThat(tags(client))
                    .containsEntry("url.full", "http://127.0.0.1:" + backend.port() + "/v2/cart")
                    .containsEntry("server.port", backend.port());
            assertThat(((Number) client.get("duration")).longValue())
                    .isBetween(1L, ((Number) server.get("duration")).longValue());
            assertThat(((Number) server.get("startTime")).longValue() / 1_000)
                    .isBetween(System.currentTimeMillis() - 60_000, System.currentTimeMillis() + 10);

            backend.reply("HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n");
            String failed = TRACE.replace('0', 'f');
            ask(proxy, "/", failed);
            List<Map<String, Object>> bad = trace(jaeger, query, failed);
            for (String kind : List.of("server", "client")) {
                assertThat(tags(ofKind(bad, kind)))
                        .containsEntry("error", true)
                        .containsEntry("otel.status_code", "ERROR")
                        .containsEntry("error.type", "503");
            }
            Await.until("counted", () -> metrics(proxy).contains("remora_trace_spans_total{result=\"exported\"} 4"));
        }
    }

    private static String metrics(Proxy proxy) {
        try (RawClient client = RawClient.connect(proxy.adminAddress())) {
            return client.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    .response()
                    .bodyText();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void prometheusHasTheExemplars() throws IOException {
        Assumptions.assumeTrue(
                System.getProperty("remora.test.prometheus") != null, "no prometheus is installed, Debian has it");
        try (SpanCollector collector = new SpanCollector();
                Proxy proxy = start(collector.backend().port())) {
            ask(proxy, "/", TRACE);
            try (Counterpart prometheus =
                    Counterpart.prometheus(directory, proxy.adminAddress().getPort())) {
                String query = "/api/v1/query_exemplars?query=remora_total_time_seconds_bucket"
                        + "&start=" + (System.currentTimeMillis() / 1_000 - 60)
                        + "&end=" + (System.currentTimeMillis() / 1_000 + 60);
                Await.within(30_000, () -> prometheus.get(query).contains(TRACE));
                Object answer = SpanCollector.json(prometheus.get(query));
                List<Map<String, Object>> found = list(answer, "data");
                assertThat(found).hasSize(1);
                assertThat(SpanCollector.map(found.get(0).get("seriesLabels")))
                        .containsEntry("__name__", "remora_total_time_seconds_bucket")
                        .containsEntry("listener", "ingress");
                Map<String, Object> exemplar = list(found.get(0), "exemplars").get(0);
                assertThat(SpanCollector.map(exemplar.get("labels"))).containsEntry("trace_id", TRACE);
                assertThat(Double.parseDouble((String) exemplar.get("value"))).isPositive();
                assertThat(prometheus.get("/api/v1/targets?state=active")).contains("\"health\":\"up\"");
            }
        }
    }
}
