package io.remora.feature.tracing;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.Proxy;
import io.remora.config.model.ConfigException;
import io.remora.seams.Examples;
import io.remora.seams.SeamStand;
import io.remora.testkit.Await;
import io.remora.testkit.BackendConnection;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.SpanCollector;
import io.remora.testkit.Zipkin;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * {@code examples/tracing.yaml} before the real Zipkin: an operator follows one slow request from the access log to its trace, and from there to
 * the endpoint that was slow.
 */
final class FollowOneRequestIT {
    private static final int REQUESTS = 10;
    private static final int SLOW_MS = 400;

    @Test
    void fromTheAccessLogToTheTraceToTheEndpoint(@TempDir Path directory) throws IOException, ConfigException {
        Path log = directory.resolve("access.log");
        try (Zipkin zipkin = Zipkin.start(directory);
                RecordingBackend quick = RecordingBackend.start();
                RecordingBackend slow = RecordingBackend.start()) {
            slow.onRequest(FollowOneRequestIT::answerLate);
            try (Proxy proxy = start(zipkin, quick, slow, log)) {
                ask(proxy);

                // the log says which request was slow, and which trace it was part of
                Await.until("logged", () -> lines(log).size() == REQUESTS);
                Map<String, Object> slowest = lines(log).get(0);
                for (Map<String, Object> line : lines(log)) {
                    slowest = us(line) > us(slowest) ? line : slowest;
                }
                assertThat(us(slowest)).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toMicros(SLOW_MS));
                String traceId = (String) slowest.get("trace_id");
                assertThat(traceId).matches("[0-9a-f]{32}");

                // the trace says where the time was spent
                List<Map<String, Object>> spans = trace(zipkin, traceId);
                Map<String, Object> server = SpanCollector.one(spans, "SERVER");
                Map<String, Object> client = SpanCollector.one(spans, "CLIENT");
                assertThat(client).containsEntry("parentId", server.get("id"));
                Map<String, Object> tags = SpanCollector.map(client.get("tags"));
                assertThat(Long.parseLong((String) tags.get("remora.backend_us")))
                        .isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toMicros(SLOW_MS));
                assertThat(Long.parseLong((String) tags.get("remora.lease_us")))
                        .isLessThan(TimeUnit.MILLISECONDS.toMicros(SLOW_MS));
                String endpoint = (String) tags.get("remora.endpoint");
                assertThat(endpoint).isEqualTo("127.0.0.1:" + slow.port());
                assertThat(slowest).containsEntry("endpoint", endpoint);

                // the endpoint has a row
                String cluster = (String) tags.get("remora.cluster");
                assertThat(rowsOf(cluster, page(proxy, "/clusters")))
                        .filteredOn(row -> row.startsWith("  " + endpoint + ' '))
                        .singleElement()
                        .asString()
                        .contains(" open=1 ");
                assertThat(page(proxy, "/metrics"))
                        .contains("remora_trace_spans_total{result=\"failed\"} 0")
                        .contains("remora_trace_spans_total{result=\"dropped\"} 0");
            }
        }
    }

    private static void answerLate(BackendConnection connection) throws IOException {
        connection.readRequest();
        connection.waitFor(() -> {
            try {
                assertThat(new CountDownLatch(1).await(SLOW_MS, TimeUnit.MILLISECONDS))
                        .isFalse();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        connection.write(RecordingBackend.OK);
    }

    private static Proxy start(Zipkin zipkin, RecordingBackend quick, RecordingBackend slow, Path log)
            throws IOException, ConfigException {
        Map<String, String> environment = Map.of(
                "ADMIN_PORT",
                "0",
                "PORT",
                "0",
                "A_PORT",
                "" + quick.port(),
                "B_PORT",
                "" + slow.port(),
                "ZIPKIN_PORT",
                "" + zipkin.port(),
                "SAMPLE",
                "1",
                "ACCESS_LOG",
                log.toString());
        return Examples.start(Examples.with("tracing.yaml"), environment);
    }

    private static void ask(Proxy proxy) throws IOException {
        try (RawClient client = RawClient.connect(proxy.address("ingress"))) {
            for (int i = 0; i < REQUESTS; i++) {
                assertThat(client.send(SeamStand.GET).response().status()).isEqualTo(200);
            }
        }
    }

    private static List<Map<String, Object>> lines(Path log) {
        List<Map<String, Object>> lines = new ArrayList<>();
        try {
            for (String line : Files.readAllLines(log)) {
                lines.add(SpanCollector.map(json(line)));
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return lines;
    }

    private static Object json(String text) {
        return new Load(LoadSettings.builder().build()).loadFromString(text);
    }

    private static long us(Map<String, Object> line) {
        return ((Number) line.get("total_us")).longValue();
    }

    private static List<Map<String, Object>> trace(Zipkin zipkin, String traceId) {
        List<Map<String, Object>> spans = new ArrayList<>();
        Await.until("the trace", () -> {
            RawResponse answer = zipkin.get("/api/v2/trace/" + traceId);
            spans.clear();
            if (answer.status() == 200) {
                for (Object span : (List<?>) json(answer.bodyText())) {
                    spans.add(SpanCollector.map(span));
                }
            }
            return spans.size() == 2;
        });
        return spans;
    }

    /** The lines below the cluster's own. */
    private static List<String> rowsOf(String cluster, String page) {
        return page.lines()
                .dropWhile(line -> !line.startsWith(cluster + ' '))
                .skip(1)
                .takeWhile(line -> line.startsWith(" "))
                .toList();
    }

    private static String page(Proxy proxy, String path) throws IOException {
        try (RawClient client = RawClient.connect(proxy.adminAddress())) {
            return client.send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    .response()
                    .bodyText();
        }
    }
}
