package io.remora.inject;

import io.remora.inject.Injection.Outcome;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Injection into the pods of workloads: the template of a Deployment, the pod of a Pod, each item of a List.
 *
 * <p>Objects of other kinds stay as they are. Owner: one thread.
 */
public final class Workloads {
    /** By API group and kind, the way to the pod. */
    private static final Map<String, List<String>> PODS = Map.of(
            "v1/Pod", List.of(),
            "v1/PodTemplate", List.of("template"),
            "v1/ReplicationController", List.of("spec", "template"),
            "apps/v1/Deployment", List.of("spec", "template"),
            "apps/v1/StatefulSet", List.of("spec", "template"),
            "apps/v1/DaemonSet", List.of("spec", "template"),
            "apps/v1/ReplicaSet", List.of("spec", "template"),
            "batch/v1/Job", List.of("spec", "template"),
            "batch/v1/CronJob", List.of("spec", "jobTemplate", "spec", "template"));

    /** Change to a pod, in a namespace. */
    interface Change {
        Injection apply(Map<String, @Nullable Object> pod, String namespace);
    }

    private final Change change;
    private final String defaultNamespace;
    private final List<String> problems = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();

    /** @param defaultNamespace the namespace of objects that name none */
    Workloads(Change change, String defaultNamespace) {
        this.change = change;
        this.defaultNamespace = defaultNamespace;
    }

    /** Returns the object with its pods changed; the same object if none of them is. */
    @Nullable
    Object apply(@Nullable Object object) {
        if (!(object instanceof Map<?, ?>)) {
            return object;
        }
        Map<String, @Nullable Object> map = Trees.map(object);
        String kind = Trees.text(map.get("kind"));
        String type = Trees.text(map.get("apiVersion")) + "/" + kind;
        if (type.equals("v1/List")) {
            return list(map);
        }
        List<String> path = PODS.get(type);
        if (path == null) {
            return object;
        }
        String namespace = Trees.text(Trees.map(map, "metadata").get("namespace"));
        return at(map, path, pod -> one(kind + "/" + PodInjector.nameOf(map), pod, namespace));
    }

    private Object list(Map<String, @Nullable Object> list) {
        List<@Nullable Object> items = new ArrayList<>();
        boolean changed = false;
        for (Object item : Trees.list(list, "items")) {
            Object next = apply(item);
            changed |= next != item;
            items.add(next);
        }
        return changed ? with(list, "items", items) : list;
    }

    private Map<String, @Nullable Object> one(
            String name, Map<String, @Nullable Object> pod, @Nullable String namespace) {
        Injection injection = change.apply(pod, Objects.requireNonNullElse(namespace, defaultNamespace));
        for (String message : injection.messages()) {
            (injection.outcome() == Outcome.REFUSED ? problems : notes).add(name + ": " + message);
        }
        return injection.pod();
    }

    /** Change to the map at the end of a path. */
    private interface Step {
        Map<String, @Nullable Object> apply(Map<String, @Nullable Object> pod);
    }

    private static Map<String, @Nullable Object> at(Map<String, @Nullable Object> map, List<String> path, Step step) {
        if (path.isEmpty()) {
            return step.apply(map);
        }
        String key = path.get(0);
        Map<String, @Nullable Object> inner = Trees.map(map, key);
        Map<String, @Nullable Object> next = at(inner, path.subList(1, path.size()), step);
        return next == inner ? map : with(map, key, next);
    }

    private static Map<String, @Nullable Object> with(Map<String, @Nullable Object> map, String key, Object value) {
        Map<String, @Nullable Object> copy = new LinkedHashMap<>(map);
        copy.put(key, value);
        return copy;
    }

    /** Returns the reasons why pods were refused. */
    List<String> problems() {
        return problems;
    }

    /** Returns warnings, and the reasons why pods were left alone. */
    List<String> notes() {
        return notes;
    }
}
