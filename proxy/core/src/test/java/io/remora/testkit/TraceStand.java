package io.remora.testkit;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** A sidecar that traces, before a backend, with a collector that keeps what it gets. */
public final class TraceStand implements AutoCloseable {
    public static final String TAKEN = "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n";

    private static final String YAML = """
            admin: {address: "127.0.0.1:0"}
            log-level: error
            LOG
            tracing: {TRACING, export: {cluster: collector, EXPORT}}
            listeners:
              - name: test
                address: "127.0.0.1:0"
                LISTENER
                routes:
                  - {name: all, match: {prefix: /}, cluster: app}
              - {name: barrier, address: "127.0.0.1:0", cluster: barrier}
            clusters:
              app: {endpoints: ["127.0.0.1:${BACKEND}"]}
              collector: {endpoints: ["127.0.0.1:COLLECTOR"]}
              barrier: {endpoints: ["127.0.0.1:${BARRIER}"]}
            """;

    private final RecordingBackend backend = RecordingBackend.start();
    private final RecordingBackend collector = RecordingBackend.start();
    private final List<RawRequest> deliveries = new CopyOnWriteArrayList<>();
    private final @Nullable Sidecar sidecar;
    private boolean ended;

    private TraceStand(@Nullable String yaml, int collectorPort) {
        collector.onRequest(connection -> {
            deliveries.add(connection.readRequest());
            connection.write(TAKEN);
        });
        int port = collectorPort == 0 ? collector.port() : collectorPort;
        sidecar = yaml == null ? null : Sidecar.of(yaml.replace("COLLECTOR", "" + port), backend);
    }

    private static String yaml(String tracing, String export, String listener, String log) {
        return YAML.replace("LOG", log)
                .replace("TRACING", tracing)
                .replace("EXPORT", export)
                .replace("LISTENER", listener);
    }

    /** Records everything, for Zipkin. */
    public static TraceStand everything() {
        return of("sample: 1", "format: zipkin, interval: 10ms", "");
    }

    /**
     * @param tracing keys, on one line
     * @param export the same of its section
     * @param listener keys, on one line
     */
    public static TraceStand of(String tracing, String export, String listener) {
        return new TraceStand(yaml(tracing, export, listener, ""), 0);
    }

    /** With what it warns of in the log. */
    public static TraceStand warning(String tracing, String export) {
        return new TraceStand(yaml(tracing, export, "", "").replace("log-level: error", "log-level: warn"), 0);
    }

    /** With an access log. */
    public static TraceStand logging(String log, String tracing) {
        return new TraceStand(yaml(tracing, "format: zipkin, interval: 10ms", "", log), 0);
    }

    /** With whatever is at this port in the collector's place. */
    public static TraceStand before(int port, String export) {
        return new TraceStand(yaml("sample: 1", "format: zipkin, " + export, "", ""), port);
    }

    /** The collector alone, for a sidecar of the test's own. */
    public static TraceStand collecting() {
        return new TraceStand(null, 0);
    }

    public RecordingBackend backend() {
        return backend;
    }

    public RecordingBackend collector() {
        return collector;
    }

    public Sidecar sidecar() {
        return sidecar;
    }

    public List<RawRequest> deliveries() {
        return deliveries;
    }

    /** What the backend got of a request with these lines. */
    public RawRequest received(String... lines) throws IOException {
        int before = backend.requests().size();
        try (RawClient client = sidecar.client()) {
            StringBuilder request = new StringBuilder("GET /a?secret=b HTTP/1.1\r\nHost: app\r\n");
            for (String line : lines) {
                request.append(line).append("\r\n");
            }
            client.send(request.append("\r\n").toString()).response();
        }
        List<RawRequest> requests = backend.requests();
        if (requests.size() == before) {
            throw new AssertionError("not forwarded: " + List.of(lines));
        }
        return requests.get(requests.size() - 1);
    }

    public static Object json(String text) {
        return new Load(LoadSettings.builder().build()).loadFromString(text);
    }

    /** Spans of Zipkin's form so far, of the listener that tests talk to and of all attempts but those of the other one. */
    public List<Map<String, Object>> spans() {
        List<Map<String, Object>> spans = new ArrayList<>();
        for (RawRequest delivery : deliveries) {
            for (Object span : (List<?>) json(delivery.bodyText())) {
                Map<String, Object> one = map(span);
                Map<String, Object> tags = map(one.get("tags"));
                if (!"barrier".equals(tags.get("remora.listener")) && !"barrier".equals(tags.get("remora.cluster"))) {
                    spans.add(one);
                }
            }
        }
        return spans;
    }

    /** The same once there are so many. */
    public List<Map<String, Object>> spans(int count) {
        Await.until(count + " spans", () -> spans().size() >= count);
        return spans();
    }

    @SuppressWarnings("unchecked")
    public static Map<String, Object> map(Object value) {
        return (Map<String, Object>) value;
    }

    public static Map<String, Object> one(List<Map<String, Object>> spans, String kind) {
        List<Map<String, Object>> found =
                spans.stream().filter(span -> kind.equals(span.get("kind"))).toList();
        if (found.size() != 1) {
            throw new AssertionError(found.size() + " of " + kind + ": " + spans);
        }
        return found.get(0);
    }

    public long count(String result) {
        return sidecar.metrics().sum("remora_trace_spans_total", "result", result);
    }

    /** Ends the sidecar, which may deliver what it still has. */
    public void end() {
        if (!ended && sidecar != null) {
            ended = true;
            sidecar.close();
        }
    }

    @Override
    public void close() {
        end();
        backend.close();
        collector.close();
    }
}
