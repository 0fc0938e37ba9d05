package io.remora.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** A collector that keeps what it gets of a sidecar. */
public final class SpanCollector implements AutoCloseable {
    public static final String TAKEN = "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n";

    private final RecordingBackend backend = RecordingBackend.start();
    private final List<RawRequest> deliveries = new CopyOnWriteArrayList<>();

    public SpanCollector() {
        backend.onRequest(connection -> {
            deliveries.add(connection.readRequest());
            connection.write(TAKEN);
        });
    }

    /** Returns the backend that listens, for a test with a script of its own. */
    public RecordingBackend backend() {
        return backend;
    }

    public List<RawRequest> deliveries() {
        return deliveries;
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

    @Override
    public void close() {
        backend.close();
    }
}
