package io.remora.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Field lines as they stood on the wire: in order, with their letter case. Immutable. */
public record Fields(List<Line> lines) {
    public static final Fields NONE = new Fields(List.of());

    /** One field line; the value without the white space around it. */
    public record Line(String name, String value) {
        @Override
        public String toString() {
            return name + ": " + value;
        }
    }

    public Fields {
        lines = List.copyOf(lines);
    }

    /** Every value of the name, in order; the name in any letter case. */
    public List<String> all(String name) {
        List<String> values = new ArrayList<>();
        for (Line line : lines) {
            if (line.name().equalsIgnoreCase(name)) {
                values.add(line.value());
            }
        }
        return values;
    }

    public @Nullable String first(String name) {
        List<String> values = all(name);
        return values.isEmpty() ? null : values.get(0);
    }

    public boolean has(String name) {
        return first(name) != null;
    }

    /** Names in order, as written. */
    public List<String> names() {
        return lines.stream().map(Line::name).toList();
    }

    /** Members of the comma-separated lists under the name, in lower case. */
    public List<String> tokens(String name) {
        List<String> tokens = new ArrayList<>();
        for (String value : all(name)) {
            for (String token : value.split(",", -1)) {
                tokens.add(token.strip().toLowerCase(Locale.ROOT));
            }
        }
        return tokens;
    }
}
