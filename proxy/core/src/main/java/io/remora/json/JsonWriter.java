package io.remora.json;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writer of the trees of {@link JsonTree}: on one line, or indented by four as kubectl does. */
public final class JsonWriter {
    private static final char[] HEX = "0123456789abcdef".toCharArray();

    private JsonWriter() {}

    /** Returns the tree on one line. */
    public static String line(@Nullable Object tree) {
        StringBuilder out = new StringBuilder();
        write(tree, out, -1);
        return out.toString();
    }

    /** Returns the tree with each member on its line, and a line feed at its end. */
    public static String indented(@Nullable Object tree) {
        StringBuilder out = new StringBuilder();
        write(tree, out, 0);
        return out.append('\n').toString();
    }

    /** Appends the text in quotes, with escapes that JSON and YAML share. */
    public static void quote(String text, StringBuilder out) {
        out.append('"');
        int from = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\' || isEscaped(c)) {
                // all that lies before it at once: most texts have none
                out.append(text, from, i);
                escape(c, out);
                from = i + 1;
            }
        }
        out.append(text, from, text.length()).append('"');
    }

    private static void escape(char c, StringBuilder out) {
        out.append('\\');
        switch (c) {
            case '"', '\\' -> out.append(c);
            case '\n' -> out.append('n');
            case '\r' -> out.append('r');
            case '\t' -> out.append('t');
            default -> {
                out.append('u');
                for (int shift = 12; shift >= 0; shift -= 4) {
                    out.append(HEX[c >> shift & 15]);
                }
            }
        }
    }

    /** Control characters, and those that YAML takes for the end of a line or for no character. */
    private static boolean isEscaped(char c) {
        return c < ' ' || c >= 0x7f && c < 0xa0 || c == '\u2028' || c == '\u2029' || c == '\ufeff' || c >= '\ufffe';
    }

    private static void write(@Nullable Object tree, StringBuilder out, int indent) {
        if (tree instanceof Map<?, ?> map) {
            writeMap(map, out, indent);
        } else if (tree instanceof List<?> list) {
            writeList(list, out, indent);
        } else if (tree instanceof String text) {
            quote(text, out);
        } else if (tree instanceof Verbatim verbatim && !isNumber(verbatim.text())) {
            quote(verbatim.text(), out);
        } else {
            out.append(tree);
        }
    }

    private static boolean isNumber(String text) {
        try {
            Object value = JsonTree.read(text.getBytes(StandardCharsets.UTF_8));
            return value instanceof Long || value instanceof Verbatim;
        } catch (IOException e) {
            return false;
        }
    }

    private static void writeMap(Map<?, ?> map, StringBuilder out, int indent) {
        int inner = indent < 0 ? -1 : indent + 4;
        char before = '{';
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            out.append(before);
            lineFeed(out, inner);
            quote(String.valueOf(entry.getKey()), out);
            out.append(indent < 0 ? ":" : ": ");
            write(entry.getValue(), out, inner);
            before = ',';
        }
        end(out, indent, before, "{}");
    }

    private static void writeList(List<?> list, StringBuilder out, int indent) {
        int inner = indent < 0 ? -1 : indent + 4;
        char before = '[';
        for (Object item : list) {
            out.append(before);
            lineFeed(out, inner);
            write(item, out, inner);
            before = ',';
        }
        end(out, indent, before, "[]");
    }

    private static void end(StringBuilder out, int indent, char before, String brackets) {
        if (before != ',') {
            out.append(brackets);
            return;
        }
        lineFeed(out, indent);
        out.append(brackets.charAt(1));
    }

    private static void lineFeed(StringBuilder out, int indent) {
        if (indent >= 0) {
            out.append('\n').append(" ".repeat(indent));
        }
    }
}
