package io.remora.inject;

import io.remora.json.Verbatim;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Access to trees of maps and lists, in which any value may be of another type than expected. */
final class Trees {
    private Trees() {}

    /** Returns a copy that shares no map and no list. */
    static @Nullable Object copy(@Nullable Object tree) {
        if (tree instanceof Map<?, ?>) {
            Map<String, @Nullable Object> copy = new LinkedHashMap<>();
            map(tree).forEach((key, value) -> copy.put(key, copy(value)));
            return copy;
        }
        if (tree instanceof List<?> list) {
            List<@Nullable Object> copy = new ArrayList<>(list.size());
            for (Object item : list) {
                copy.add(copy(item));
            }
            return copy;
        }
        return tree;
    }

    /** Returns the map itself; an empty one for any other value. */
    @SuppressWarnings("unchecked") // every reader of trees makes keys of text only
    static Map<String, @Nullable Object> map(@Nullable Object tree) {
        return tree instanceof Map<?, ?> map ? (Map<String, @Nullable Object>) map : new LinkedHashMap<>();
    }

    static Map<String, @Nullable Object> map(Map<String, @Nullable Object> parent, String key) {
        return map(parent.get(key));
    }

    /** Returns the list itself; an empty one for any other value. */
    @SuppressWarnings("unchecked") // a list of anything is one of objects
    static List<@Nullable Object> list(Map<String, @Nullable Object> parent, String key) {
        return parent.get(key) instanceof List<?> list ? (List<@Nullable Object>) list : new ArrayList<>();
    }

    /** Returns the members of a list that are maps. */
    static List<Map<String, @Nullable Object>> maps(Map<String, @Nullable Object> parent, String key) {
        List<Map<String, @Nullable Object>> maps = new ArrayList<>();
        for (Object item : list(parent, key)) {
            if (item instanceof Map<?, ?>) {
                maps.add(map(item));
            }
        }
        return maps;
    }

    /** Returns a text, as well as one that was kept as it was written; null for any other value. */
    static @Nullable String text(@Nullable Object value) {
        return value instanceof String text ? text : value instanceof Verbatim verbatim ? verbatim.text() : null;
    }

    static String name(Map<String, @Nullable Object> parent) {
        return Objects.requireNonNullElse(text(parent.get("name")), "");
    }

    /** Returns a map from alternating keys and values, in their order. */
    static Map<String, @Nullable Object> of(@Nullable Object... keysAndValues) {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            map.put(String.valueOf(keysAndValues[i]), keysAndValues[i + 1]);
        }
        return map;
    }

    /**
     * Returns whether a tree has all of another one. An API server adds defaults to maps, and other webhooks add items to
     * lists.
     */
    static boolean contains(@Nullable Object tree, @Nullable Object part) {
        if (tree instanceof Map<?, ?> && part instanceof Map<?, ?>) {
            Map<String, @Nullable Object> map = map(tree);
            for (Map.Entry<String, @Nullable Object> entry : map(part).entrySet()) {
                if (!map.containsKey(entry.getKey()) || !contains(map.get(entry.getKey()), entry.getValue())) {
                    return false;
                }
            }
            return true;
        }
        if (tree instanceof List<?> list && part instanceof List<?> wanted) {
            for (Object item : wanted) {
                if (!anyContains(list, item)) {
                    return false;
                }
            }
            return true;
        }
        return Objects.equals(tree, part);
    }

    private static boolean anyContains(List<?> list, @Nullable Object item) {
        for (Object one : list) {
            if (contains(one, item)) {
                return true;
            }
        }
        return false;
    }
}
