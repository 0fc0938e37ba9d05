package io.remora.reload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.remora.config.model.ProxyConfig;
import io.remora.seams.SeamStand;
import io.remora.serving.Seams;
import io.remora.testkit.Await;
import io.remora.testkit.RecordingBackend;
import java.io.IOException;
import java.net.ServerSocket;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a configuration that cannot be had leaves of what it would have counted, which is nothing, for the next one that can be had. */
final class ReloadFailureIT {
    private static final String PLAIN = "cluster: app";
    private static final String MIRRORING = "routes: [{name: all, cluster: app, mirror: {cluster: shadow}}]";

    private final RecordingBackend backend = RecordingBackend.start().replyOk();
    private SeamStand stand;

    @BeforeEach
    void start() {
        ProxyConfig config = config(
                "",
                listener("test", PLAIN),
                listener("detecting", PLAIN),
                listener("calls", PLAIN),
                listener("told", PLAIN));
        stand = SeamStand.start(new Seams(), config);
    }

    @AfterEach
    void close() {
        stand.close();
        backend.close();
    }

    private ProxyConfig config(String more, String... listeners) {
        StringBuilder yaml = new StringBuilder(more).append("\nworkers: 2\nlisteners:\n");
        for (String listener : listeners) {
            yaml.append("  - {").append(listener).append("}\n");
        }
        return SeamStand.config(
                yaml.append("""
                clusters:
                  app: {endpoints: ["127.0.0.1:PORT"]}
                  shadow: {endpoints: ["127.0.0.1:PORT"]}
                  tunnels: {protocol: tcp, endpoints: ["127.0.0.1:PORT"]}
                """.replace("PORT", "" + backend.port())).toString());
    }

    private static String listener(String name, String more) {
        return listener(name, 0, more);
    }

    private static String listener(String name, int port, String more) {
        return "name: " + name + ", address: \"127.0.0.1:" + port + "\", " + more;
    }

    /** Every feature of a listener that has series of its own, the first of them on connections that stay. */
    private ProxyConfig counting(String last) {
        return config(
                "tracing: {sample: 0, export: {format: zipkin, cluster: shadow}}",
                listener("test", MIRRORING + ", rate-limits: [{name: few, rate: 1000/s}]"),
                listener("detecting", PLAIN + ", protocol: detect, detect: {cluster: tunnels, timeout: 1h}"),
                listener("calls", PLAIN + ", protocol: auto, grpc: {methods: [/a.B/C]}"),
                listener("told", PLAIN + ", proxy-protocol: {from: [127.0.0.0/8]}"),
                last);
    }

    private void fails(String last) throws IOException {
        try (ServerSocket taken = new ServerSocket(0)) {
            ProxyConfig next = counting(listener("last", taken.getLocalPort(), last));
            assertThatThrownBy(() -> stand.proxy().replace(next)).hasMessageContaining("cannot listen on");
        }
    }

    /** Without their values. */
    private List<String> series() {
        return stand.page("/metrics")
                .lines()
                .filter(line -> !line.startsWith("#"))
                .map(line -> line.substring(0, line.lastIndexOf(' ')))
                .toList();
    }

    @Test
    void nothingIsCountedOfWhatDidNotBegin() throws IOException {
        List<String> before = series();
        fails(PLAIN);
        fails(PLAIN);
        assertThat(series()).isEqualTo(before);
    }

    @Test
    void whatBeginsAfterAllIsCounted() throws IOException {
        fails(PLAIN);
        stand.proxy().replace(counting(listener("last", PLAIN)));
        assertThat(String.join("\n", series()))
                .contains(
                        "remora_detect_undecided{listener=\"detecting\"",
                        "remora_http2_connections_active{listener=\"calls\"",
                        "remora_grpc_calls_total{listener=\"calls\"",
                        "remora_grpc_method_calls_total{listener=\"calls\"",
                        "remora_proxy_headers_total{listener=\"told\"",
                        "remora_rate_limit_refused_total{listener=\"test\"",
                        "remora_trace_spans_total");
        assertThat(stand.client().send(SeamStand.GET).response().status()).isEqualTo(200);
        Await.until("a copy ends", () -> stand.metric("remora_mirrors_finished_total") == 1);
    }

    /** The one on its way out, whose admission goes on, does not go by the limit before the next one does. */
    @Test
    void aLimitIsCountedThatBeginsAfterAll() throws IOException {
        String limited = PLAIN + ", admission: {adaptive: {min: 1, max: 2}}";
        stand.proxy().replace(config("", listener("test", PLAIN), listener("last", PLAIN)));
        stand.proxy().replace(config("", listener("test", PLAIN)));
        fails(limited);
        assertThat(stand.page("/metrics")).doesNotContain("remora_admission_limit{");
        stand.proxy().replace(counting(listener("last", limited)));
        assertThat(stand.page("/metrics")).contains("remora_admission_limit{listener=\"last\"");
    }
}
