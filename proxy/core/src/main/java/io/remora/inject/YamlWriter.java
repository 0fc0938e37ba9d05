package io.remora.inject;

import io.remora.json.JsonWriter;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writer of a tree as a YAML document, in the block style of kubectl.
 *
 * <p>Texts have quotes wherever a reader of YAML 1.1 or 1.2 could take them for something else. A text of several lines
 * is a literal block if that keeps it exactly.
 */
final class YamlWriter {
    private final StringBuilder out = new StringBuilder();

    private YamlWriter() {}

    /** Returns the document, which ends with a line feed. */
    static String write(@Nullable Object tree) {
        YamlWriter writer = new YamlWriter();
        if (tree instanceof Map<?, ?> map && !map.isEmpty()) {
            writer.mapping(map, 0, false);
        } else if (tree instanceof List<?> list && !list.isEmpty()) {
            writer.sequence(list, 0);
        } else {
            writer.value(tree, 0);
        }
        return writer.out.toString();
    }

    private void mapping(Map<?, ?> map, int indent, boolean begun) {
        boolean first = begun;
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            if (!first) {
                indent(indent);
            }
            first = false;
            scalar(String.valueOf(entry.getKey()), 0, false);
            out.append(':');
            value(entry.getValue(), indent);
        }
    }

    private void sequence(List<?> list, int indent) {
        for (Object item : list) {
            indent(indent);
            out.append('-');
            if (item instanceof Map<?, ?> map && !map.isEmpty()) {
                out.append(' ');
                mapping(map, indent + 2, true);
            } else {
                value(item, indent + 1);
            }
        }
    }

    /** Writes a value after its key and colon, or after the dash of its item. */
    private void value(@Nullable Object value, int indent) {
        if (value instanceof Map<?, ?> map && !map.isEmpty()) {
            out.append('\n');
            mapping(map, indent + 2, false);
        } else if (value instanceof List<?> list && !list.isEmpty()) {
            out.append('\n');
            // the items of a key stand below the key itself
            sequence(list, indent);
        } else {
            if (out.length() > 0) {
                out.append(' ');
            }
            if (value instanceof Map) {
                out.append("{}");
            } else if (value instanceof List) {
                out.append("[]");
            } else if (value instanceof String text) {
                scalar(text, indent + 2, true);
            } else {
                out.append(value);
            }
            out.append('\n');
        }
    }

    private void scalar(String text, int indent, boolean mayBeBlock) {
        if (YamlScalars.isPlain(text)) {
            out.append(text);
        } else if (mayBeBlock && isBlock(text)) {
            block(text, indent);
        } else if (text.indexOf('"') >= 0 && isPrintable(text)) {
            out.append('\'').append(text.replace("'", "''")).append('\'');
        } else {
            JsonWriter.quote(text, out);
        }
    }

    /** Returns whether a literal block keeps the text: printable, with at most one line feed at its end. */
    private static boolean isBlock(String text) {
        return text.indexOf('\n') >= 0
                && !text.startsWith("\n")
                && !text.startsWith(" ")
                && !text.endsWith("\n\n")
                && !text.endsWith(" ")
                && !text.contains(" \n")
                && isPrintable(text.replace('\n', ' '));
    }

    private static boolean isPrintable(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) < ' ' || text.charAt(i) > '~') {
                return false;
            }
        }
        return true;
    }

    private void block(String text, int indent) {
        boolean ends = text.endsWith("\n");
        out.append(ends ? "|" : "|-");
        int at = 0;
        while (at < text.length()) {
            int end = text.indexOf('\n', at);
            end = end < 0 ? text.length() : end;
            out.append('\n');
            if (end > at) {
                indent(indent);
                out.append(text, at, end);
            }
            at = end + 1;
        }
    }

    private void indent(int columns) {
        for (int i = 0; i < columns; i++) {
            out.append(' ');
        }
    }
}
