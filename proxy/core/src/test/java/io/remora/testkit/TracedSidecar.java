package io.remora.testkit;

import java.io.IOException;
import java.util.List;
import java.util.Map;

/** A sidecar that traces, before a backend, with the collector of its spans. */
public final class TracedSidecar implements AutoCloseable {
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
    private final SpanCollector collector = new SpanCollector();
    private final Sidecar sidecar;
    private boolean ended;

    private TracedSidecar(String yaml, int collectorPort) {
        int port = collectorPort == 0 ? collector.backend().port() : collectorPort;
        sidecar = Sidecar.of(yaml.replace("COLLECTOR", "" + port), backend);
    }

    private static String yaml(String tracing, String export, String listener, String log) {
        return YAML.replace("LOG", log)
                .replace("TRACING", tracing)
                .replace("EXPORT", export)
                .replace("LISTENER", listener);
    }

    /** Records everything, for Zipkin. */
    public static TracedSidecar everything() {
        return of("sample: 1", "format: zipkin, interval: 10ms", "");
    }

    /**
     * @param tracing keys, on one line
     * @param export the same of its section
     * @param listener keys, on one line
     */
    public static TracedSidecar of(String tracing, String export, String listener) {
        return new TracedSidecar(yaml(tracing, export, listener, ""), 0);
    }

    /** With what it warns of in the log. */
    public static TracedSidecar warning(String tracing, String export) {
        return new TracedSidecar(yaml(tracing, export, "", "").replace("log-level: error", "log-level: warn"), 0);
    }

    /** With an access log. */
    public static TracedSidecar logging(String log, String tracing) {
        return new TracedSidecar(yaml(tracing, "format: zipkin, interval: 10ms", "", log), 0);
    }

    /** Exports to a port of the caller's instead of a collector. */
    public static TracedSidecar before(int port, String export) {
        return new TracedSidecar(yaml("sample: 1", "format: zipkin, " + export, "", ""), port);
    }

    public RecordingBackend backend() {
        return backend;
    }

    public SpanCollector collector() {
        return collector;
    }

    public Sidecar sidecar() {
        return sidecar;
    }

    public List<RawRequest> deliveries() {
        return collector.deliveries();
    }

    public List<Map<String, Object>> spans() {
        return collector.spans();
    }

    public List<Map<String, Object>> spans(int count) {
        return collector.spans(count);
    }

    /** Returns the request that the backend received for these lines. */
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

    public long count(String result) {
        return sidecar.metrics().sum("remora_trace_spans_total", "result", result);
    }

    /** Ends the sidecar, which may deliver what it still has. */
    public void end() {
        if (!ended) {
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
