package io.remora.flame;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** An element of the description of types in a file of JFR, whose names and values are numbers of strings. */
final class JfrElement {
    private final String name;
    private final List<String> attributes = new ArrayList<>();
    private final List<JfrElement> children = new ArrayList<>();

    /** @param attributes names and values in turn */
    JfrElement(String name, String... attributes) {
        this.name = name;
        this.attributes.addAll(List.of(attributes));
    }

    /** Adds a child, and returns it. */
    JfrElement add(String child, String... its) {
        return add(new JfrElement(child, its));
    }

    /** Adds a child, and returns it. */
    JfrElement add(JfrElement child) {
        children.add(child);
        return child;
    }

    /** Adds attributes, and returns this element. */
    JfrElement with(String... more) {
        attributes.addAll(List.of(more));
        return this;
    }

    /** Adds an annotation that has a value, and returns this element. */
    JfrElement note(int type, String key, String value) {
        add("annotation", "class", Integer.toString(type), key, value);
        return this;
    }

    /** Adds a field, and returns it. */
    JfrElement field(String field, int type, String... more) {
        return add("field", "name", field, "class", Integer.toString(type)).with(more);
    }

    void write(Map<String, Integer> strings, JfrOutput out) throws IOException {
        out.number(number(name, strings)).number(attributes.size() / 2);
        for (String each : attributes) {
            out.number(number(each, strings));
        }
        out.number(children.size());
        for (JfrElement child : children) {
            child.write(strings, out);
        }
    }

    private static int number(String text, Map<String, Integer> strings) {
        Integer known = strings.putIfAbsent(text, strings.size());
        return known == null ? strings.size() - 1 : known;
    }
}
