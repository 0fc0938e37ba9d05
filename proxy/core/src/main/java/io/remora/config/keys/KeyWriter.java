package io.remora.config.keys;

import io.remora.text.Ascii;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Writes keys and their values as YAML, each key as far to the right as its declaration says. Owner: the thread that writes. */
public class KeyWriter {
    private static final String MASK = "***";

    private static final String[] CREDENTIALS = {"authorization", "cookie", "token", "secret", "password", "key"};

    private final StringBuilder out = new StringBuilder();
    /** How much further left than their declarations say keys stand now. */
    private int shift;

    /** Returns what has been written. */
    protected final String written() {
        return out.toString();
    }

    /** Begins a section under a key that need not be the one below which the keys are declared. */
    public final void begin(Key key, Key declared) {
        section(key);
        shift = declared.indent() - key.indent();
    }

    /** Ends a section that was begun so. */
    public final void end() {
        shift = 0;
    }

    /** Begins the section of a part, or writes that the part is off. */
    public final boolean begins(Key key, @Nullable Object part) {
        if (part == null) {
            plain(key, Key.OFF);
            return false;
        }
        section(key);
        return true;
    }

    public final void section(Key key) {
        line(key.indent(), key.name, "");
    }

    public final <T> void put(ValueKey<T> key, T value) {
        plain(key, key.write(value));
    }

    public final void number(Key key, long number) {
        plain(key, key.format(number));
    }

    public final void text(Key key, String value) {
        plain(key, escaped(value));
    }

    public final void optional(Key key, @Nullable String value) {
        if (value != null) {
            text(key, value);
        }
    }

    /** A list of texts, or a word where it is empty. */
    public final void list(Key key, List<String> values, String ifEmpty) {
        if (values.isEmpty()) {
            plain(key, ifEmpty);
            return;
        }
        section(key);
        for (String value : values) {
            entry(key, value);
        }
    }

    /** A list that is not shown where it is empty. */
    public final void unlessEmpty(Key key, List<String> values) {
        if (!values.isEmpty()) {
            list(key, values, "");
        }
    }

    public final void entry(Key list, String value) {
        indent(list.indent() + 2).append("- ").append(escaped(value)).append('\n');
    }

    /** The first key of an item of a list. */
    public final void item(Key key, String value) {
        line(key.indent() - 2, "- " + key.name, ' ' + escaped(value));
    }

    public final void plain(Key key, String value) {
        line(key.indent(), key.name, ' ' + value);
    }

    /** A field below the key of a mapping; one whose name suggests a credential without its value. */
    public final void header(Key mapping, String name, String value) {
        String shown = isCredential(name.toLowerCase(Locale.ROOT)) ? MASK : value;
        line(mapping.indent() + 2, quoted(name), ' ' + escaped(shown));
    }

    private static boolean isCredential(String header) {
        for (String word : CREDENTIALS) {
            if (header.contains(word)) {
                return true;
            }
        }
        return false;
    }

    /** A word below the key of a mapping. */
    public final void below(Key mapping, String name, String word) {
        line(mapping.indent() + 2, name, ' ' + word);
    }

    protected final void line(int indent, String key, String rest) {
        indent(indent).append(key).append(':').append(rest).append('\n');
    }

    private StringBuilder indent(int spaces) {
        for (int i = shift; i < spaces; i++) {
            out.append(' ');
        }
        return out;
    }

    /** A value as the reader takes it: without variables, and in quotes where YAML could see more than text in it. */
    protected static String escaped(String value) {
        return quoted(value.replace("${", "$${"));
    }

    protected static String quoted(String text) {
        boolean plain = !text.isEmpty() && isWordChar(text.charAt(0)) && !text.endsWith(":");
        for (int i = 0; i < text.length(); i++) {
            plain &= isWordChar(text.charAt(i)) || "._-:".indexOf(text.charAt(i)) >= 0;
        }
        if (plain) {
            return text;
        }
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < ' ' || c > '~') {
                quoted.append("\\u").append(Integer.toHexString(0x10000 | c), 1, 5);
            } else {
                quoted.append(c == '"' || c == '\\' ? "\\" : "").append(c);
            }
        }
        return quoted.append('"').toString();
    }

    private static boolean isWordChar(char c) {
        return Ascii.isAlphanumeric(c) || c == '/';
    }
}
