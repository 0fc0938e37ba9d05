package io.remora.feature.tracing;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Contract;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Sidecar;
import io.remora.testkit.TracedSidecar;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Histograms name the traces that were recorded, for who asks for OpenMetrics. */
@Contract
final class ExemplarsIT {
    private static final String OPEN = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    private static final Pattern EXEMPLAR = Pattern.compile(
            "remora_(proxy|backend|total)_time_seconds_bucket\\{listener=\"test\",le=\"([0-9.e+-]+|\\+Inf)\"} ([0-9]+)"
                    + " # \\{trace_id=\"([0-9a-f]{32})\"} ([0-9.E-]+) ([0-9]+\\.[0-9]{3})");

    private static RawResponse metrics(Sidecar sidecar, String accept) throws IOException {
        try (RawClient admin = sidecar.adminClient()) {
            return admin.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\nAccept: " + accept + "\r\n\r\n")
                    .response();
        }
    }

    private static List<String> exemplars(String text) {
        return text.lines()
                .filter(line -> line.contains("listener=\"test\"") && line.contains(" # "))
                .toList();
    }

    @Test
    void eachBucketHasTheLastTraceThatWasRecorded() throws IOException {
        try (TracedSidecar stand = TracedSidecar.everything()) {
            for (int i = 0; i < 20; i++) {
                stand.received();
            }
            Set<Object> traces = new TreeSet<>();
            for (Map<String, Object> span : stand.spans(40)) {
                traces.add(span.get("traceId"));
            }
            RawResponse answer = metrics(stand.sidecar(), "application/openmetrics-text");
            assertThat(answer.field("Content-Type")).isEqualTo(OPEN);
            assertThat(answer.bodyText()).endsWith("\n# EOF\n");
            List<String> lines = exemplars(answer.bodyText());
            Set<String> kinds = new TreeSet<>();
            for (String line : lines) {
                Matcher told = EXEMPLAR.matcher(line);
                assertThat(told.matches()).as(line).isTrue();
                kinds.add(told.group(1));
                assertThat(traces).contains(told.group(4));
                if (!told.group(2).equals("+Inf")) {
                    assertThat(Double.parseDouble(told.group(5)))
                            .isLessThanOrEqualTo(Double.parseDouble(told.group(2)));
                }
                assertThat(Long.parseLong(told.group(3))).isPositive();
                assertThat(Double.parseDouble(told.group(6)))
                        .isBetween(System.currentTimeMillis() / 1e3 - 60, System.currentTimeMillis() / 1e3 + 1);
            }
            assertThat(kinds).containsExactly("backend", "proxy", "total");
        }
    }

    @Test
    void whatWasNotRecordedIsNoExample() throws IOException {
        try (TracedSidecar stand =
                TracedSidecar.of("sample: 0, failures: true", "format: zipkin, interval: 10ms", "")) {
            for (int i = 0; i < 5; i++) {
                stand.received();
            }
            assertThat(exemplars(metrics(stand.sidecar(), OPEN).bodyText())).isEmpty();
            stand.backend().reply("HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n");
            stand.received();
            Object failed = stand.spans(2).get(0).get("traceId");
            assertThat(exemplars(metrics(stand.sidecar(), OPEN).bodyText()))
                    .hasSize(3)
                    .allMatch(line -> line.contains("{trace_id=\"" + failed + "\"}"));
        }
    }

    @Test
    void whoDoesNotAskGetsText() throws IOException {
        try (TracedSidecar stand = TracedSidecar.everything()) {
            stand.received();
            stand.spans(2);
            RawResponse answer = metrics(stand.sidecar(), "text/plain, application/openmetrics-text;q=0.9");
            assertThat(answer.field("Content-Type")).isEqualTo("text/plain; version=0.0.4; charset=utf-8");
            assertThat(answer.bodyText()).doesNotContain("trace_id").doesNotContain("# EOF");
        }
    }

    @Test
    void whoDoesNotTraceGetsTextWhateverIsAskedFor() throws IOException {
        try (RecordingBackend backend = RecordingBackend.start();
                Sidecar sidecar = Sidecar.before(backend)) {
            assertThat(metrics(sidecar, OPEN).field("Content-Type")).startsWith("text/plain; version=0.0.4");
        }
    }
}
