package io.remora.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.http2.FrameClient.Answer;
import io.remora.seams.Http2Backend;
import io.remora.testkit.Sidecar;
import io.remora.testkit.SpanCollector;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A call of gRPC fails by its status, in a response of 200: its spans say so, and are recorded where failures are. */
final class TraceGrpcIT {
    private static final String YAML = """
            admin: {address: "127.0.0.1:0"}
            log-level: error
            tracing: {sample: SAMPLE, failures: true, export: {format: zipkin, cluster: collector, interval: 10ms}}
            listeners:
              - {name: test, address: "127.0.0.1:0", protocol: http2, cluster: app}
              - {name: barrier, address: "127.0.0.1:0", cluster: barrier}
            clusters:
              app: {endpoints: ["127.0.0.1:APP"], protocol: http2}
              collector: {endpoints: ["127.0.0.1:${BACKEND}"]}
              barrier: {endpoints: ["127.0.0.1:${BARRIER}"]}
            """;

    /** What a call of which the endpoint says this has for spans; an empty status is none at all. */
    private static List<Map<String, Object>> spansOf(String status, boolean trailersOnly, String sample, int count)
            throws IOException {
        try (Http2Backend backend = Http2Backend.start((peer, number) -> {
                    peer.begin();
                    int stream = peer.head().stream();
                    if (trailersOnly) {
                        GrpcCalls.trailersOnly(peer, stream, status);
                    } else if (status.isEmpty()) {
                        GrpcCalls.begin(peer, stream).data(stream, true, GrpcCalls.MESSAGE);
                    } else {
                        GrpcCalls.answer(peer, stream, GrpcCalls.MESSAGE, status);
                    }
                    peer.awaitEnd();
                });
                SpanCollector collector = new SpanCollector()) {
            String yaml = YAML.replace("APP", "" + backend.port()).replace("SAMPLE", sample);
            try (Sidecar sidecar = Sidecar.of(yaml, collector.backend());
                    FrameClient client = FrameClient.connect(sidecar.address())) {
                Answer answer = client.headers(1, false, GrpcCalls.CALL)
                        .data(1, true, GrpcCalls.MESSAGE)
                        .answer(1);
                assertThat(answer.status()).isEqualTo(200);
                collector.spans(count);
            }
            // what the end of the sidecar still brings is there by now
            return collector.spans();
        }
    }

    private static Map<String, Object> tags(List<Map<String, Object>> spans, String kind) {
        return SpanCollector.map(SpanCollector.one(spans, kind).get("tags"));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aStatusOfTheEndpointsFailureIsAnErrorOfBothSpans(boolean trailersOnly) throws IOException {
        List<Map<String, Object>> spans = spansOf("14", trailersOnly, "0", 2);
        for (String kind : List.of("SERVER", "CLIENT")) {
            assertThat(tags(spans, kind))
                    .containsEntry("http.response.status_code", "200")
                    .containsEntry("rpc.response.status_code", "UNAVAILABLE")
                    .containsEntry("error.type", "UNAVAILABLE")
                    .containsEntry("error", "UNAVAILABLE");
        }
    }

    @Test
    void aResponseWithoutAStatusIsAnErrorOfBothSpans() throws IOException {
        List<Map<String, Object>> spans = spansOf("", false, "0", 2);
        assertThat(tags(spans, "SERVER"))
                .containsEntry("error.type", "UNKNOWN")
                .doesNotContainKey("rpc.response.status_code");
        assertThat(tags(spans, "CLIENT")).containsEntry("error.type", "UNKNOWN");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "5"})
    void aStatusThatIsNoFailureRecordsNothing(String status) throws IOException {
        assertThat(spansOf(status, false, "0", 0)).isEmpty();
    }

    @Test
    void whatTheCallerGotWrongIsAnErrorOfTheAttemptOnly() throws IOException {
        List<Map<String, Object>> spans = spansOf("5", false, "1", 2);
        assertThat(tags(spans, "SERVER"))
                .containsEntry("rpc.response.status_code", "NOT_FOUND")
                .doesNotContainKeys("error.type", "error");
        assertThat(tags(spans, "CLIENT")).containsEntry("error.type", "NOT_FOUND");
    }
}
