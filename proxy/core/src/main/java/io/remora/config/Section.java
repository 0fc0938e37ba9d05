package io.remora.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One mapping of the file, read key by key. Each question names its key once, and with it what is allowed: {@link #end}
 * reports the keys nobody asked for.
 */
final class Section {
    /** The mapping itself, or a broken one that was none; where the key is not given, an empty one at its parent. */
    final Node node;

    private final Problems problems;
    private final List<String> known = new ArrayList<>();

    private Section(Problems problems, Node node) {
        this.problems = problems;
        this.node = node;
    }

    static Section of(Node node, String name, Problems problems) {
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
    Section section(String key) {
        Node value = value(key);
        return value != null
                ? of(value, key, problems)
                : new Section(problems, Node.parent(Node.Kind.MAPPING, node.line, node.column, List.of()));
    }

    /** The mapping under a key, null where it is switched off, which it is when the key is not given. */
    @Nullable
    Section sectionOrOff(String key) {
        Node value = value(key);
        return value == null || value.isText("off") ? null : of(value, key, "a mapping, or off", problems);
    }

    /** The value under a key, of whatever kind. */
    @Nullable
    Node value(String key) {
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

    /** The text under a key. */
    @Nullable
    Node text(String key) {
        Node value = value(key);
        if (value != null && value.kind != Node.Kind.TEXT) {
            problems.at(value, key + " is " + value.quoted() + ", expected text");
            return null;
        }
        return value;
    }

    /** The text under a key that has no default. */
    @Nullable
    Node requiredText(String key, String what) {
        Node value = text(key);
        if (value == null && !has(key)) {
            missing(key, what);
        }
        return value;
    }

    boolean has(String key) {
        return value(key) != null;
    }

    void missing(String key, String what) {
        problems.at(node, "no " + key + ", expected " + what);
    }

    /** The items under a key; none where they are missing, which is a problem. */
    List<Node> requiredList(String key, String items) {
        Node value = value(key);
        if (value == null) {
            missing(key, items);
        } else if (value.kind != Node.Kind.LIST || value.children.isEmpty()) {
            String what = value.kind == Node.Kind.LIST ? "an empty list" : value.quoted();
            problems.at(value, key + " is " + what + ", expected " + items);
        } else {
            return value.children;
        }
        return List.of();
    }

    boolean bool(String key, boolean fallback) {
        Node value = text(key);
        if (value != null && !value.isText("true") && !value.isText("false")) {
            problems.at(value, key + " is " + value.quoted() + ", expected true or false");
        }
        return value == null ? fallback : value.isText("true");
    }

    /** One of an enum's constants, written in lower case. */
    <E extends Enum<E>> E choice(String key, E[] choices, E fallback) {
        Node value = text(key);
        if (value == null) {
            return fallback;
        }
        List<String> names = new ArrayList<>();
        for (E choice : choices) {
            String name = choice.name().toLowerCase(Locale.ROOT);
            if (value.isText(name)) {
                return choice;
            }
            names.add(name);
        }
        problems.at(value, key + " is " + value.quoted() + ", expected one of " + Nearest.list(names));
        return fallback;
    }

    int integer(String key, int fallback, int min, int max) {
        return (int) number(Units.NONE, key, fallback, min, max);
    }

    /** The size of something that is held whole. */
    int heldBytes(String key, int fallback) {
        return (int) number(Units.SIZE, key, fallback, Defaults.MIN_BYTES, Defaults.MAX_HELD_BYTES);
    }

    long durationNs(String key, long fallbackNs) {
        return number(Units.DURATION, key, fallbackNs, Defaults.MIN_DURATION_NS, Defaults.MAX_DURATION_NS);
    }

    /** A size bound that may be switched off. */
    long sizeOrOff(String key, long fallback, long off) {
        Node value = value(key);
        return value != null && value.isText("off")
                ? off
                : number(Units.SIZE_OR_OFF, key, fallback, 1, Defaults.MAX_BODY_BYTES);
    }

    private long number(Units units, String key, long fallback, long min, long max) {
        Node value = text(key);
        return value == null ? fallback : units.read(value, key, fallback, min, max, problems);
    }

    /** Call it when every key has been asked for: the others are unknown. */
    void end() {
        for (int i = 0; i < node.children.size(); i += 2) {
            Node key = node.children.get(i);
            if (!known.contains(key.text)) {
                problems.at(key, "unknown key " + Problems.quote(key.text) + Nearest.hint(key.text, known));
            }
        }
    }
}
