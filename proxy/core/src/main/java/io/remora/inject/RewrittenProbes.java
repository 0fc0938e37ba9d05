package io.remora.inject;

import io.remora.json.JsonWriter;
import io.remora.probes.AppProbesReader;
import io.remora.text.Ascii;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Probes of the application, which the injection sends through the health listener of the sidecar.
 *
 * <p>The sidecar gets their originals as {@code --app-probes}, by container and then by the word of the path
 * {@code /app-health/CONTAINER/WORD}. Those of kind exec or with a host stay as they are, and so do hooks: any client that reaches the
 * health listener can run what is recorded. Owner: one thread.
 */
final class RewrittenProbes {
    /** Keys of a container that may have a handler, each with the word of its path. */
    static final Map<String, String> PROBES =
            Map.of("startupProbe", "startup", "readinessProbe", "readiness", "livenessProbe", "liveness");

    static final List<String> PROBE_KEYS = List.of("startupProbe", "readinessProbe", "livenessProbe");
    private static final List<String> KINDS = List.of("httpGet", "tcpSocket", "grpc");

    /** Recorded probes for the sidecar, by container. */
    private final Map<String, @Nullable Object> recorded = new LinkedHashMap<>();
    /** Original handlers for undo, by container and key. */
    private final Map<String, @Nullable Object> originals = new LinkedHashMap<>();

    private final List<String> problems;

    RewrittenProbes(List<String> problems) {
        this.problems = problems;
    }

    /** Rewrites the probes of a container in place. */
    void rewrite(Map<String, @Nullable Object> container) {
        for (String key : PROBE_KEYS) {
            if (container.get(key) instanceof Map<?, ?>) {
                rewrite(container, key, PROBES.get(key), Trees.map(container, key));
            }
        }
    }

    private void rewrite(
            Map<String, @Nullable Object> container,
            String key,
            @Nullable String word,
            Map<String, @Nullable Object> probe) {
        for (String kind : KINDS) {
            if (!(probe.get(kind) instanceof Map<?, ?>)) {
                continue;
            }
            Map<String, @Nullable Object> handler = Trees.map(probe, kind);
            String host = Trees.text(handler.get("host"));
            if (host != null && !host.isEmpty()) {
                return;
            }
            Object port = port(container, key, handler.get("port"));
            if (port == null) {
                return;
            }
            String name = Trees.name(container);
            Map<String, @Nullable Object> recording = new LinkedHashMap<>(handler);
            recording.put("port", port);
            Map<String, @Nullable Object> entry = Trees.of(kind, recording);
            if (probe.get("timeoutSeconds") instanceof Long seconds) {
                entry.put("timeoutSeconds", seconds);
            }
            inner(recorded, name).put(String.valueOf(word), entry);
            inner(originals, name).put(key, Trees.of(kind, Trees.copy(handler)));
            replace(probe, kind, "httpGet", Trees.of("path", "/app-health/" + name + "/" + word, "port", (long)
                    PodParts.HEALTH_PORT));
        }
    }

    private static Map<String, @Nullable Object> inner(Map<String, @Nullable Object> outer, String name) {
        Object inner = outer.computeIfAbsent(name, any -> new LinkedHashMap<String, @Nullable Object>());
        return Trees.map(inner);
    }

    /** Replaces an entry at its place in the order of the keys. */
    private static void replace(Map<String, @Nullable Object> map, String key, String next, @Nullable Object value) {
        Map<String, @Nullable Object> before = new LinkedHashMap<>(map);
        map.clear();
        before.forEach((each, old) -> map.put(each.equals(key) ? next : each, each.equals(key) ? value : old));
    }

    /** Returns the number of a port that may be named; null after a problem. */
    private @Nullable Object port(Map<String, @Nullable Object> container, String key, @Nullable Object port) {
        if (port instanceof Long number && number >= 1 && number <= 65_535) {
            return number;
        }
        String name = Trees.text(port);
        for (Map<String, @Nullable Object> one : Trees.maps(container, "ports")) {
            if (name != null && Trees.name(one).equals(name) && one.get("containerPort") instanceof Long number) {
                return number;
            }
        }
        problems.add("container " + Ascii.quote(Trees.name(container)) + ": " + key + " has the port "
                + Ascii.quote(String.valueOf(port))
                + ", which is none of its ports; write a number from 1 to 65535, or "
                + "the name of a port, or annotate " + Annotation.PROBES.key() + ": \"off\"");
        return null;
    }

    boolean isEmpty() {
        return recorded.isEmpty();
    }

    /** Reads the argument as the sidecar will, and reports what would keep it from starting. */
    void judge() {
        if (isEmpty()) {
            return;
        }
        try {
            AppProbesReader.read(JsonWriter.line(recorded));
        } catch (IllegalArgumentException e) {
            problems.add(e.getMessage() + "; change the probe, or annotate " + Annotation.PROBES.key() + ": \"off\"");
        }
    }

    /** Returns the argument of the sidecar. The kubelet expands names after a dollar sign, and makes one of two. */
    String argument() {
        return JsonWriter.line(recorded).replace("$", "$$");
    }

    /** Returns the handlers as they were, for {@link Undo}. */
    Map<String, @Nullable Object> originals() {
        return originals;
    }

    /** Puts recorded handlers back in place of the rewritten ones, if they are still there. */
    static void restore(Map<String, @Nullable Object> container, Map<String, @Nullable Object> originals) {
        originals.forEach((key, original) -> {
            Map<String, @Nullable Object> probe = Trees.map(container, key);
            String path = Trees.text(Trees.map(probe, "httpGet").get("path"));
            if (path != null && path.startsWith("/app-health/")) {
                Trees.map(original).forEach((kind, handler) -> replace(probe, "httpGet", kind, Trees.copy(handler)));
            }
        });
    }
}
