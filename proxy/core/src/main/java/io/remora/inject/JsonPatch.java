package io.remora.inject;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Difference between two trees as the operations of a JSON patch. A list that differs is replaced as a whole.
 *
 * <p>Spec: RFC 6902, and RFC 6901 for paths.
 */
public final class JsonPatch {
    private JsonPatch() {}

    /** Returns the operations that turn the first object into the second one; empty if both are equal. */
    public static List<Map<String, @Nullable Object>> between(
            Map<String, @Nullable Object> before, Map<String, @Nullable Object> after) {
        List<Map<String, @Nullable Object>> operations = new ArrayList<>();
        compare("", before, after, operations);
        return operations;
    }

    private static void compare(
            String path,
            Map<String, @Nullable Object> before,
            Map<String, @Nullable Object> after,
            List<Map<String, @Nullable Object>> operations) {
        for (String key : before.keySet()) {
            if (!after.containsKey(key)) {
                operations.add(Trees.of("op", "remove", "path", path + "/" + escaped(key)));
            }
        }
        for (Map.Entry<String, @Nullable Object> entry : after.entrySet()) {
            String place = path + "/" + escaped(entry.getKey());
            Object old = before.get(entry.getKey());
            Object value = entry.getValue();
            if (!before.containsKey(entry.getKey())) {
                operations.add(operation("add", place, value));
            } else if (old instanceof Map<?, ?> && value instanceof Map<?, ?>) {
                compare(place, Trees.map(old), Trees.map(value), operations);
            } else if (!Objects.equals(old, value)) {
                operations.add(operation("replace", place, value));
            }
        }
    }

    private static Map<String, @Nullable Object> operation(String op, String path, @Nullable Object value) {
        Map<String, @Nullable Object> operation = Trees.of("op", op, "path", path);
        operation.put("value", value);
        return operation;
    }

    private static String escaped(String key) {
        return key.replace("~", "~0").replace("/", "~1");
    }
}
