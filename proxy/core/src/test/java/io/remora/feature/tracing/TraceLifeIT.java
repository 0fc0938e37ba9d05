package io.remora.feature.tracing;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.Proxy;
import io.remora.seams.SeamStand;
import io.remora.testkit.Await;
import io.remora.testkit.RawClient;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.SpanCollector;
import io.remora.testkit.Stand;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What becomes of spans where the sidecar ends, and where another configuration takes the place of theirs. */
final class TraceLifeIT {
    private static final String YAML = """
            workers: WORKERS
            TRACING
            listeners:
              - name: test
                address: "127.0.0.1:0"
                routes:
                  - {name: api, match: {prefix: /api}, cluster: app, rewrite: {prefix: /v2}}
                  - {name: all, match: {prefix: /}, cluster: app}
            clusters:
              app: {endpoints: ["127.0.0.1:APP"]}
            """;
    private static final String TRACING =
            "tracing: {sample: 1, export: {format: zipkin, cluster: collector, interval: INTERVAL}}";
    private static final String COLLECTOR = "  collector: {endpoints: [\"127.0.0.1:PORT\"]}\n";

    private final RecordingBackend backend = RecordingBackend.start().replyOk();
    private final SpanCollector collector = new SpanCollector();
    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch answer = new CountDownLatch(1);

    @AfterEach
    void close() {
        answer.countDown();
        backend.close();
        collector.close();
    }

    private String untraced() {
        return YAML.replace("APP", "" + backend.port()).replace("WORKERS", "1");
    }

    private String traced(String interval, int workers) {
        return (YAML + COLLECTOR)
                .replace("APP", "" + backend.port())
                .replace("PORT", "" + collector.backend().port())
                .replace("WORKERS", "" + workers)
                .replace("TRACING", TRACING.replace("INTERVAL", interval));
    }

    private static Proxy start(String yaml) throws IOException {
        return Proxy.start(SeamStand.config(yaml));
    }

    private static void ask(Proxy proxy, int requests) throws IOException {
        try (RawClient client = RawClient.connect(proxy.address("test"))) {
            for (int i = 0; i < requests; i++) {
                assertThat(client.send(SeamStand.GET).response().status()).isEqualTo(200);
            }
        }
    }

    private static String metrics(Proxy proxy) throws IOException {
        try (RawClient client = RawClient.connect(proxy.adminAddress())) {
            return client.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    .response()
                    .bodyText();
        }
    }

    private static Map<String, Object> tags(List<Map<String, Object>> spans, String kind) {
        return SpanCollector.map(SpanCollector.one(spans, kind).get("tags"));
    }

    /** The backend keeps whoever asks waiting. */
    private void hold() {
        backend.onRequest(connection -> {
            connection.readRequest();
            asked.countDown();
            connection.waitFor(() -> Await.open(answer));
            connection.write(RecordingBackend.OK);
        });
    }

    // ---- the end

    @Test
    void whatTheEndCutsHasSpans() throws IOException {
        hold();
        RawClient client;
        try (Proxy proxy = start(traced("1h", 1))) {
            client = RawClient.connect(proxy.address("test")).send(SeamStand.GET);
            Await.open(asked);
        }
        client.close();
        List<Map<String, Object>> spans = collector.spans();
        assertThat(tags(spans, "SERVER")).containsEntry("error.type", "cut-by-drain");
        assertThat(tags(spans, "CLIENT")).containsKey("remora.endpoint");
    }

    @Test
    void whatADrainCutsHasSpans() throws IOException, InterruptedException {
        hold();
        Proxy proxy = start("drain-timeout: 100ms\n" + traced("1h", 1));
        try (RawClient client = RawClient.connect(proxy.address("test"))) {
            client.send(SeamStand.GET);
            Await.open(asked);
            proxy.drain();
            assertThat(proxy.awaitDrained(Await.TIMEOUT_MS)).isTrue();
        } finally {
            proxy.close();
        }
        assertThat(tags(collector.spans(), "SERVER")).containsEntry("error.type", "cut-by-drain");
    }

    @Test
    void eachLoopIsWaitedFor() throws IOException {
        collector.backend().onRequest(connection -> {
            collector.deliveries().add(connection.readRequest());
            connection.waitFor(() -> Stand.pause(200));
            connection.write(SpanCollector.TAKEN);
        });
        List<RawClient> clients = new ArrayList<>();
        try (Proxy proxy = start(traced("1h", 2))) {
            for (int i = 0; i < 8; i++) {
                RawClient client = RawClient.connect(proxy.address("test"));
                clients.add(client);
                assertThat(client.send(SeamStand.GET).response().status()).isEqualTo(200);
            }
        } finally {
            clients.forEach(RawClient::close);
        }
        assertThat(collector.deliveries()).as("of both loops").hasSize(2);
        assertThat(collector.spans()).hasSize(16);
    }

    // ---- changes

    @Test
    void whatWaitsWhenTheCollectorGoesIsDeliveredFirst() throws IOException {
        try (Proxy proxy = start(traced("1h", 1))) {
            ask(proxy, 3);
            proxy.replace(SeamStand.config(untraced().replace("TRACING", "")));
            collector.spans(6);
            Await.until("counted", () -> count(proxy, "exported") == 6);
            assertThat(count(proxy, "failed")).isZero();
            assertThat(count(proxy, "dropped")).isZero();
            ask(proxy, 1);
        }
        assertThat(collector.spans()).hasSize(6);
    }

    @Test
    void whatEndsWhenTheCollectorHasGoneIsDeliveredToo() throws IOException {
        hold();
        try (Proxy proxy = start(traced("1h", 1));
                RawClient client = RawClient.connect(proxy.address("test"))) {
            client.send(SeamStand.GET);
            Await.open(asked);
            proxy.replace(SeamStand.config(untraced().replace("TRACING", "")));
            answer.countDown();
            assertThat(client.response().status()).isEqualTo(200);
            assertThat(collector.spans(2)).hasSize(2);
            Await.until("counted", () -> count(proxy, "exported") == 2);
        }
    }

    @Test
    void ofTheConfigurationBeforeTheLastNothingIsKept() throws IOException {
        hold();
        PrintStream standardError = System.err;
        ByteArrayOutputStream log = new ByteArrayOutputStream();
        System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
        try (Proxy proxy = start(traced("1h", 1));
                RawClient client = RawClient.connect(proxy.address("test"))) {
            client.send(SeamStand.GET);
            Await.open(asked);
            proxy.replace(SeamStand.config(traced("2h", 1)));
            proxy.replace(SeamStand.config(traced("3h", 1)));
            answer.countDown();
            assertThat(client.response().status()).isEqualTo(200);
            Await.until("counted", () -> count(proxy, "dropped") == 2);
            assertThat(count(proxy, "failed")).isZero();
            // one line a minute: an attempt's span may have been dropped in a turn before its exchange's
            Pattern told = Pattern.compile(
                    "tracing: dropping spans; another configuration holds; cluster=collector dropped=[12] ");
            Await.until("told", () -> told.matcher(log.toString(StandardCharsets.UTF_8))
                    .find());
        } finally {
            System.setErr(standardError);
        }
        assertThat(collector.spans()).isEmpty();
    }

    private static long count(Proxy proxy, String result) {
        try {
            return metrics(proxy)
                    .lines()
                    .filter(line -> line.startsWith("remora_trace_spans_total{result=\"" + result + "\"} "))
                    .mapToLong(line -> Long.parseLong(line.substring(line.lastIndexOf(' ') + 1)))
                    .sum();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    // ---- what an attempt was for

    @Test
    void anAttemptsAddressIsTheOneThatItsEndpointGot() throws IOException {
        try (Proxy proxy = start(traced("10ms", 1));
                RawClient client = RawClient.connect(proxy.address("test"))) {
            client.send("GET /api/cart?secret=x HTTP/1.1\r\nHost: shop\r\n\r\n").response();
            List<Map<String, Object>> spans = collector.spans(2);
            assertThat(backend.requests().get(0).target()).isEqualTo("/v2/cart?secret=x");
            assertThat(tags(spans, "SERVER"))
                    .containsEntry("url.path", "/api/cart")
                    .containsEntry("server.address", "shop")
                    .doesNotContainKey("url.full");
            assertThat(tags(spans, "CLIENT"))
                    .containsEntry("url.full", "http://127.0.0.1:" + backend.port() + "/v2/cart")
                    .containsEntry("server.address", "127.0.0.1")
                    .doesNotContainKey("url.path");
        }
    }
}
