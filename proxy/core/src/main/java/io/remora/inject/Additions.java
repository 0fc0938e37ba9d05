package io.remora.inject;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Changes to a pod's tree, recorded by name, so that {@link Undo} finds them after other changes. Owner: one thread.
 *
 * <p>A map or list that is created for an addition is recorded with its path, and undo removes it once it is empty.
 */
final class Additions {
    private final Map<String, @Nullable Object> record = new LinkedHashMap<>();

    /** Returns the map at a key, created if there is none. */
    Map<String, @Nullable Object> map(Map<String, @Nullable Object> parent, String key, String path) {
        if (!(parent.get(key) instanceof Map<?, ?>)) {
            created(parent, key, path);
            parent.put(key, new LinkedHashMap<String, @Nullable Object>());
        }
        return Trees.map(parent, key);
    }

    /** Returns the list at a key, created if there is none. */
    List<@Nullable Object> list(Map<String, @Nullable Object> parent, String key, String path) {
        if (!(parent.get(key) instanceof List<?>)) {
            created(parent, key, path);
            parent.put(key, new ArrayList<@Nullable Object>());
        }
        return Trees.list(parent, key);
    }

    /** Records a path; one with an exclamation mark was null. */
    private void created(Map<String, @Nullable Object> parent, String key, String path) {
        add("created", parent.containsKey(key) ? path + "!" : path);
    }

    /** Adds a name to a part of the record. */
    void add(String part, String name) {
        if (!(record.get(part) instanceof List<?>)) {
            record.put(part, new ArrayList<@Nullable Object>());
        }
        Trees.list(record, part).add(name);
    }

    /** Sets a part of the record, unless it is empty. */
    void put(String part, Map<String, @Nullable Object> value) {
        if (!value.isEmpty()) {
            record.put(part, value);
        }
    }

    Map<String, @Nullable Object> record() {
        return record;
    }

    static boolean hasCreated(List<?> created, String path) {
        return created.contains(path) || created.contains(path + "!");
    }

    /** Removes an empty map or list that the injection has created. */
    static void remove(Map<String, @Nullable Object> parent, String key, String path, List<?> created) {
        Object value = parent.get(key);
        boolean empty =
                value instanceof Map<?, ?> map && map.isEmpty() || value instanceof List<?> list && list.isEmpty();
        if (empty && created.contains(path)) {
            parent.remove(key);
        } else if (empty && created.contains(path + "!")) {
            parent.put(key, null);
        }
    }
}
