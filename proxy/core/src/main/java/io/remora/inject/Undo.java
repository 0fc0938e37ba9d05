package io.remora.inject;

import io.remora.json.JsonTree;
import io.remora.text.Ascii;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Removal of an earlier injection from a pod, as its annotation {@code remora.io/status} recorded it. */
final class Undo {
    /** Version of the record. */
    static final String VERSION = "1";

    private Undo() {}

    /** Returns the record of the injection into a pod; null without one. */
    static @Nullable Map<String, @Nullable Object> record(Map<String, @Nullable Object> pod) throws InjectException {
        String status =
                Trees.text(Trees.map(Trees.map(pod, "metadata"), "annotations").get(Annotation.STATUS));
        if (status == null) {
            return null;
        }
        try {
            if (JsonTree.read(status.getBytes(StandardCharsets.UTF_8)) instanceof Map<?, ?> tree) {
                Map<String, @Nullable Object> record = Trees.map(tree);
                requireVersion(record.getOrDefault("version", VERSION));
                return record;
            }
        } catch (IOException e) {
            throw new InjectException("annotation " + Annotation.STATUS + " is not what an injection wrote: "
                    + e.getMessage() + "; remove it, and the containers remora and remora-capture");
        }
        throw new InjectException("annotation " + Annotation.STATUS + " is not what an injection wrote: expected an "
                + "object; remove it, and the containers remora and remora-capture");
    }

    /** A later version may have added parts that this one would leave behind. */
    private static void requireVersion(@Nullable Object version) throws InjectException {
        if (!VERSION.equals(version)) {
            throw new InjectException("annotation " + Annotation.STATUS + " has the version "
                    + Ascii.quote(String.valueOf(version)) + ", and this injection reads version " + VERSION
                    + "; undo it with the version that wrote it, or inject the original manifest");
        }
    }

    /** Removes the injection in place. */
    static void apply(Map<String, @Nullable Object> pod, Map<String, @Nullable Object> record) {
        List<?> created = Trees.list(record, "created");
        Map<String, @Nullable Object> spec = Trees.map(pod, "spec");
        removeNamed(spec, "initContainers", Trees.list(record, "containers"));
        Additions.remove(spec, "initContainers", "initContainers", created);
        removeNamed(spec, "volumes", Trees.list(record, "volumes"));
        Additions.remove(spec, "volumes", "volumes", created);
        for (String part : new String[] {"containers", "initContainers"}) {
            for (Map<String, @Nullable Object> container : Trees.maps(spec, part)) {
                restore(container, record, created);
            }
        }
        NodeArchitecture.release(spec, Trees.list(record, "architectures"), created);
        Map<String, @Nullable Object> metadata = Trees.map(pod, "metadata");
        Map<String, @Nullable Object> annotations = Trees.map(metadata, "annotations");
        for (Object name : Trees.list(record, "annotations")) {
            annotations.remove(String.valueOf(name));
        }
        annotations.remove(Annotation.STATUS);
        Additions.remove(metadata, "annotations", "annotations", created);
        Additions.remove(pod, "metadata", "metadata", created);
    }

    private static void restore(
            Map<String, @Nullable Object> container, Map<String, @Nullable Object> record, List<?> created) {
        String name = Trees.name(container);
        RewrittenProbes.restore(container, Trees.map(Trees.map(record, "handlers"), name));
        Map<String, @Nullable Object> lifecycle = Trees.map(container, "lifecycle");
        if (Trees.list(record, "sleep").contains(name)
                && Trees.map(lifecycle, "preStop").keySet().equals(Set.of("sleep"))) {
            lifecycle.remove("preStop");
        }
        Additions.remove(container, "lifecycle", "lifecycle:" + name, created);
    }

    private static void removeNamed(Map<String, @Nullable Object> spec, String key, List<?> names) {
        Trees.list(spec, key).removeIf(item -> names.contains(Trees.name(Trees.map(item))));
    }
}
