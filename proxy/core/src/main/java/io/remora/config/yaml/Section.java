package io.remora.config.yaml;

import io.remora.config.keys.Key;
import io.remora.config.keys.ValueKey;
import io.remora.config.model.Limits;
import io.remora.text.Nearest;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One mapping of the file, read key by key: {@link #end} reports the keys that no reader has requested.
 */
public final class Section {
    /** The mapping itself, or a broken one that was none; where the key is not given, an empty one at its parent. */
    public final Node node;

    private final Problems problems;
    private final List<String> known = new ArrayList<>();

    private Section(Problems problems, Node node) {
        this.problems = problems;
        this.node = node;
    }

    public static Section of(Node node, String name, Problems problems) {
        return of(node, name, "a mapping", problems);
    }

    private static Section of(Node node, String name, String expected, Problems problems) {
        if (node.kind == Node.Kind.MAPPING) {
            return new Section(problems, node);
        }
        problems.at(node, name + " is " + node.quoted() + ", expected " + expected);
        return new Section(problems, Node.broken(node.line, node.column));
    }

    /** The mapping under a key; an empty one where the key is not given. */
    public Section section(Key key) {
        Node value = value(key);
        return value != null
                ? of(value, key.name, problems)
                : new Section(problems, Node.parent(Node.Kind.MAPPING, node.line, node.column, List.of()));
    }

    /** The mapping under a key, null where it is switched off, which it is when the key is not given. */
    public @Nullable Section sectionOrOff(Key key) {
        Node value = value(key);
        return value == null || value.isText(Key.OFF) ? null : of(value, key.name, "a mapping, or off", problems);
    }

    /** Returns the value under a key, of any kind. */
    public @Nullable Node value(Key key) {
        return value(key.name);
    }

    /** Returns the value under a key of that name. */
    public @Nullable Node value(String key) {
        if (!known.contains(key)) {
            known.add(key);
        }
        for (int i = 0; i < node.children.size(); i += 2) {
            if (node.children.get(i).text.equals(key)) {
                return node.children.get(i + 1);
            }
        }
        return null;
    }

    /** The value under a key, or where the section stands if the key is not given: the place of a problem with it. */
    public Node node(Key key) {
        Node value = value(key);
        return value == null ? node : value;
    }

    /** Reports a problem with the value of a key, or with the section where the key is not given. */
    public void problem(Key key, String message) {
        problems.at(node(key), message);
    }

    /** The text under a key. */
    public @Nullable Node text(Key key) {
        Node value = value(key);
        if (value != null && value.kind != Node.Kind.TEXT) {
            problems.at(value, key.name + " is " + value.quoted() + ", expected text");
            return null;
        }
        return value;
    }

    /** The text under a key that has no default. */
    public @Nullable Node requiredText(Key key, String what) {
        Node value = text(key);
        if (value == null && !has(key)) {
            missing(key, what);
        }
        return value;
    }

    /** Returns the name of a cluster under a key that has no default, empty where there is none, which is a problem. */
    public String clusterName(Key key, String expected) {
        Node name = requiredText(key, expected);
        if (name != null && name.text.isEmpty()) {
            problems.at(name, key.name + " is empty, expected " + expected);
        }
        return name == null ? "" : name.text;
    }

    public boolean has(Key key) {
        return value(key) != null;
    }

    public void missing(Key key, String what) {
        problems.at(node, "missing " + key.name + ", expected " + what);
    }

    /** The items under a key; none where they are missing, which is a problem. */
    public List<Node> requiredList(Key key, String items) {
        Node value = value(key);
        if (value == null) {
            missing(key, items);
        } else if (value.kind != Node.Kind.LIST || value.children.isEmpty()) {
            String what = value.kind == Node.Kind.LIST ? "an empty list" : value.quoted();
            problems.at(value, key.name + " is " + what + ", expected " + items);
        } else {
            return value.children;
        }
        return List.of();
    }

    /** The value under a key, its default where the key is not given. */
    public <T> T get(ValueKey<T> key) {
        Node given = text(key);
        T value = given == null ? key.byDefault() : key.read(given.text);
        if (value == null && given != null) {
            problems.at(given, key.name + " is " + given.quoted() + key.expected(given.text));
        }
        return value == null ? key.byDefault() : value;
    }

    /** Reads a number whose default and upper bound other settings move. */
    public long number(Key key, long fallback, long max) {
        Node given = value(key);
        if (key.units.canBeOff() && given != null && given.isText(Key.OFF)) {
            return Limits.UNLIMITED;
        }
        Node value = text(key);
        return value == null ? fallback : value.number(key.units, key.name, fallback, key.min, max, problems);
    }

    /** Ends the section once every known key has been requested: the others are unknown. */
    public void end() {
        for (int i = 0; i < node.children.size(); i += 2) {
            Node key = node.children.get(i);
            if (!known.contains(key.text)) {
                problems.at(key, "unknown key " + Problems.quote(key.text) + Nearest.hint(key.text, known));
            }
        }
    }
}
