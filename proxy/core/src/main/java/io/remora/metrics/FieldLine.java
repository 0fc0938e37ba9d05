package io.remora.metrics;

/**
 * Names with values, as {@code name=value} on a line for a person, or as the members of a JSON object.
 *
 * <p>Owner: one page.
 */
final class FieldLine {
    private static final String HEX = "0123456789abcdef";

    private final StringBuilder out;
    private final boolean json;
    private boolean any;

    FieldLine(StringBuilder out, boolean json) {
        this.out = out;
        this.json = json;
    }

    FieldLine add(String name, long number) {
        name(name).append(number);
        return this;
    }

    FieldLine add(String name, String value) {
        name(name);
        if (json) {
            quote(out, value);
        } else {
            out.append(value.isEmpty() ? "-" : value);
        }
        return this;
    }

    private StringBuilder name(String name) {
        if (!json) {
            return out.append(' ').append(name).append('=');
        }
        out.append(any ? "," : "").append('"').append(name).append("\":");
        any = true;
        return out;
    }

    /** Writes a text as JSON does. */
    static void quote(StringBuilder out, String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ' || c > '~') {
                out.append("\\u");
                for (int shift = 12; shift >= 0; shift -= 4) {
                    out.append(HEX.charAt(c >> shift & 15));
                }
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }
}
