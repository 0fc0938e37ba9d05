package io.remora.feature.tracing;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.Contract;
import io.remora.testkit.RawClient;
import io.remora.testkit.SpanCollector;
import io.remora.testkit.StandardError;
import io.remora.testkit.TracedSidecar;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Spans that no collector has in the end: each is counted as what it is, and the log tells of them. */
@Contract
final class TraceLossIT {
    private static final String GET = "GET / HTTP/1.1\r\nHost: app\r\n\r\n";

    @RegisterExtension
    final StandardError standardError = new StandardError();

    private static void ask(TracedSidecar stand, int requests) throws IOException {
        try (RawClient client = stand.sidecar().client()) {
            for (int i = 0; i < requests; i++) {
                assertThat(client.send(GET).response().status()).isEqualTo(200);
            }
        }
    }

    private List<String> warnings() {
        return standardError
                .lines()
                .filter(line -> line.contains(" WARN tracing: "))
                .map(line -> line.substring(line.indexOf("tracing: ")))
                .toList();
    }

    // ---- a collector that is slow

    @Test
    void whatDoesNotFitIsTold() throws IOException {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch answer = new CountDownLatch(1);
        try (TracedSidecar stand =
                TracedSidecar.warning("sample: 1", "format: zipkin, interval: 1ms, queue: 8KiB, timeout: 1h")) {
            stand.collector().backend().onRequest(connection -> {
                connection.readRequest();
                asked.countDown();
                connection.waitFor(() -> Await.open(answer));
                connection.write(SpanCollector.TAKEN);
            });
            ask(stand, 1);
            Await.open(asked);
            ask(stand, 50);
            Await.until("told", () -> !warnings().isEmpty());
            assertThat(warnings())
                    .as("once a minute")
                    .singleElement()
                    .asString()
                    .matches("tracing: dropping spans; the queue is full; cluster=collector dropped=[12] queue=8192B");
            // an exchange ends behind its response, and its spans are recorded then
            Await.until("ended", () -> stand.sidecar().finishedAtOnce() == 51);
            long dropped = stand.count("dropped");
            assertThat(dropped).isGreaterThan(20);
            answer.countDown();
            stand.end();
            long told = warnings().stream()
                    .filter(line -> line.contains("dropped="))
                    .mapToLong(line -> Long.parseLong(line.replaceAll(".* dropped=(\\d+) .*", "$1")))
                    .sum();
            assertThat(warnings()).as("the rest at the end").hasSize(2);
            assertThat(told).isEqualTo(dropped);
        }
    }

    // ---- a collector that rejects some

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"partialSuccess\":{\"rejectedSpans\":\"1\",\"errorMessage\":\"too much\"}} | 1 | too much",
                " { \"partialSuccess\" : { \"errorMessage\" : \"a\\nb\" , \"x\": [{}], \"rejectedSpans\" : 2 } } | 2 | a\\nb",
                "{\"x\":1,\"partialSuccess\":{\"rejectedSpans\":\"1\"}} | 1 | no reason given",
                "{\"partialSuccess\":{\"rejectedSpans\":\"1\",\"errorMessage\":null}} | 1 | no reason given",
                "{\"partialSuccess\":{\"rejectedSpans\":\"1\",\"errorMessage\":\"cut | 1 | no reason given",
                "{\"partialSuccess\":{\"rejectedSpans\":\"900000000000000000\"}} | 2 | no reason given",
            })
    void whatACollectorRejectsHasFailed(String body, int rejected, String why) throws IOException {
        try (TracedSidecar stand = answering(body)) {
            ask(stand, 1);
            Await.until("counted", () -> stand.count("failed") + stand.count("exported") == 2);
            assertThat(stand.count("failed")).isEqualTo(rejected);
            Await.until("told", () -> !warnings().isEmpty());
            assertThat(warnings())
                    .containsExactly("tracing: collector rejected spans; cluster=collector rejected=" + rejected
                            + " delivered=2 reason=\"" + why + "\"");
        }
    }

    /** RFC or not, a collector may warn of what it has taken (OTLP, partial success). */
    @Test
    void whatACollectorWarnsOfIsTold() throws IOException {
        try (TracedSidecar stand =
                answering("{\"partialSuccess\":{\"rejectedSpans\":\"0\",\"errorMessage\":\"soon full\"}}")) {
            ask(stand, 1);
            Await.until("counted", () -> stand.count("exported") == 2);
            // the line follows the count
            Await.until("logged", () -> !warnings().isEmpty());
            assertThat(warnings())
                    .containsExactly(
                            "tracing: collector accepted all spans with a warning; cluster=collector reason=\"soon full\"");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{}",
                "{\"partialSuccess\":{}}",
                "{\"partialSuccess\":null}",
                "{\"partialSuccess\":{\"rejectedSpans\":\"0\",\"errorMessage\":\"\"}}",
                "{\"partialSuccess\":{\"rejectedSpans\":-1}}",
                "{\"partialSuccess\":{\"rejectedSpans\":[]}}",
                "{\"partialSuccess\":{\"rejectedSpans\":\"many\"}}",
                "{\"rejectedSpans\":\"1\"}",
                "[\"rejectedSpans\"]",
                "\"rejectedSpans\"",
                "rejectedSpans"
            })
    void anyOtherAnswerHasTakenThem(String body) throws IOException {
        try (TracedSidecar stand = answering(body)) {
            ask(stand, 1);
            Await.until("counted", () -> stand.count("failed") + stand.count("exported") == 2);
            assertThat(stand.count("exported")).isEqualTo(2);
            assertThat(warnings()).isEmpty();
        }
    }

    /** Nobody reads on for ever; what stands behind so much is not looked at. */
    @Test
    void aLongAnswerIsReadPast() throws IOException {
        String body = "{\"x\":\"" + "y".repeat(1 << 20) + "\",\"partialSuccess\":{\"rejectedSpans\":\"1\"}}";
        try (TracedSidecar stand = answering(body)) {
            ask(stand, 1);
            Await.until("counted", () -> stand.count("exported") == 2);
            ask(stand, 1);
            Await.until("and goes on", () -> stand.count("exported") == 4);
        }
    }

    /** Zipkin has no such answer. */
    @Test
    void zipkinsAnswerIsNotRead() throws IOException {
        try (TracedSidecar stand = TracedSidecar.warning("sample: 1", "format: zipkin, interval: 5ms")) {
            reply(stand, "{\"partialSuccess\":{\"rejectedSpans\":\"1\"}}");
            ask(stand, 1);
            Await.until("counted", () -> stand.count("exported") == 2);
        }
    }

    private static TracedSidecar answering(String body) {
        // so that both spans of a request go together
        TracedSidecar stand = TracedSidecar.warning("sample: 1", "format: otlp, interval: 100ms");
        reply(stand, body);
        return stand;
    }

    private static void reply(TracedSidecar stand, String body) {
        String answer = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " + body.length()
                + "\r\n\r\n" + body;
        stand.collector().backend().onRequest(connection -> {
            connection.readRequest();
            connection.write(answer);
        });
    }
}
