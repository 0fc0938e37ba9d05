package io.remora.inject;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Comparison of a pod with what an injection would make of it. The containers and volumes of the injection must be the same
 * ones, because the record of an injection belongs to the owner of the pod.
 *
 * <p>An API server may have added its defaults, a LimitRange its resources, and another webhook a variable.
 */
final class OwnParts {
    private static final Object ANY = new Object();
    /** Entries that an API server adds to a container, a probe, a reference to a field or a volume. */
    private static final Map<String, Object> DEFAULTS = Map.of(
            "terminationMessagePath",
            "/dev/termination-log",
            "terminationMessagePolicy",
            "File",
            "resizePolicy",
            ANY,
            "scheme",
            "HTTP",
            "successThreshold",
            1L,
            "apiVersion",
            "v1",
            "defaultMode",
            420L);

    private static final Set<String> PULL_POLICIES = Set.of("Always", "IfNotPresent", "Never");
    /** Beginnings of the variables that change what the program of a container does. */
    private static final List<String> RESERVED =
            List.of("REMORA_", "JDK_", "JVM_", "JAVA_", "_JAVA_", "LD_", "CLASSPATH", "PATH", "GLIBC_");

    private OwnParts() {}

    /** Returns whether a pod has everything of the wanted one already. */
    static boolean areThere(Map<String, @Nullable Object> pod, Map<String, @Nullable Object> made) {
        Map<String, @Nullable Object> wanted = Trees.map(Trees.copy(made));
        Map<String, @Nullable Object> spec = Trees.map(pod, "spec");
        Map<String, @Nullable Object> wantedSpec = Trees.map(wanted, "spec");
        List<Map<String, @Nullable Object>> containers = Trees.maps(spec, "initContainers");
        int place = 0;
        for (Map<String, @Nullable Object> own : Trees.maps(wantedSpec, "initContainers")) {
            // an injection puts its own ones first
            if (!PodParts.CONTAINERS.contains(Trees.name(own))) {
                break;
            }
            if (place >= containers.size() || !isSame(containers.get(place), own)) {
                return false;
            }
            // the plugin AlwaysPullImages of a cluster sets it, and rejects the pod that has another one
            own.put("imagePullPolicy", containers.get(place++).get("imagePullPolicy"));
        }
        for (Map<String, @Nullable Object> own : Trees.maps(wantedSpec, "volumes")) {
            if (PodParts.VOLUMES.contains(Trees.name(own)) && !hasVolume(spec, own)) {
                return false;
            }
        }
        return Trees.contains(pod, wanted);
    }

    private static boolean hasVolume(Map<String, @Nullable Object> spec, Map<String, @Nullable Object> own) {
        for (Map<String, @Nullable Object> volume : Trees.maps(spec, "volumes")) {
            if (Trees.name(volume).equals(Trees.name(own))) {
                return isSame(volume, own);
            }
        }
        return false;
    }

    private static boolean isSame(Map<String, @Nullable Object> given, Map<String, @Nullable Object> wanted) {
        for (String key : wanted.keySet()) {
            if (!given.containsKey(key)) {
                return false;
            }
        }
        for (Map.Entry<String, @Nullable Object> entry : given.entrySet()) {
            String key = entry.getKey();
            boolean same = wanted.containsKey(key)
                    ? isSame(key, entry.getValue(), wanted.get(key))
                    : isDefault(key, entry.getValue());
            if (!same) {
                return false;
            }
        }
        return true;
    }

    private static boolean isSame(String key, @Nullable Object given, @Nullable Object wanted) {
        if (key.equals("resources")) {
            return Trees.contains(given, wanted);
        }
        if (key.equals("imagePullPolicy")) {
            return PULL_POLICIES.contains(given);
        }
        if (key.equals("env") && given instanceof List<?> variables) {
            return Trees.contains(given, wanted) && isHarmless(variables, wanted);
        }
        if (given instanceof Map<?, ?> && wanted instanceof Map<?, ?>) {
            return isSame(Trees.map(given), Trees.map(wanted));
        }
        if (given instanceof List<?> list && wanted instanceof List<?> wantedList) {
            if (list.size() != wantedList.size()) {
                return false;
            }
            for (int i = 0; i < list.size(); i++) {
                if (!isSame("", list.get(i), wantedList.get(i))) {
                    return false;
                }
            }
            return true;
        }
        return Objects.equals(given, wanted);
    }

    /** Returns whether each variable stands there once, and further ones are not those of the program. */
    private static boolean isHarmless(List<?> given, @Nullable Object wanted) {
        Set<String> own = new HashSet<>();
        if (wanted instanceof List<?> variables) {
            for (Object variable : variables) {
                own.add(Trees.name(Trees.map(variable)));
            }
        }
        Set<String> seen = new HashSet<>();
        for (Object variable : given) {
            String name = Trees.name(Trees.map(variable));
            if (!seen.add(name) || !own.contains(name) && isReserved(name)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isReserved(String name) {
        for (String beginning : RESERVED) {
            if (name.startsWith(beginning)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isDefault(String key, @Nullable Object value) {
        if (key.equals("imagePullPolicy")) {
            return value instanceof String policy && PULL_POLICIES.contains(policy);
        }
        Object usual = DEFAULTS.get(key);
        return usual != null && (usual.equals(ANY) || usual.equals(value));
    }
}
