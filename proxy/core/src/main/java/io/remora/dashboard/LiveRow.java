package io.remora.dashboard;

import io.remora.json.JsonWriter;
import org.jspecify.annotations.Nullable;

/**
 * One row of numbers of the page: the values that hold now, and those that viewers have.
 *
 * <p>Owner: the admin thread. Bounds: the names that it is made with.
 */
final class LiveRow {
    private static final String NULL = "null";

    private final String id;
    private final String[] names;
    private final String[] values;
    private final String[] sent;

    /**
     * @param id unlike that of any other row
     */
    LiveRow(String id, String... names) {
        this.id = id;
        this.names = names;
        this.values = new String[names.length];
        this.sent = new String[names.length];
        for (int i = 0; i < names.length; i++) {
            values[i] = NULL;
            sent[i] = NULL;
        }
    }

    String id() {
        return id;
    }

    void put(String name, long number) {
        putJson(name, Long.toString(number));
    }

    /** Sets a number; nothing where it is negative, which stands for unknown. */
    void putKnown(String name, long number) {
        putJson(name, number < 0 ? NULL : Long.toString(number));
    }

    /** Sets a number of hundredths, of at least 0. */
    void putHundredths(String name, long number) {
        long known = Math.max(0, number);
        long below = known % 100;
        putJson(name, known / 100 + (below < 10 ? ".0" : ".") + below);
    }

    /** Sets a text; nothing for null. */
    void putText(String name, @Nullable String text) {
        if (text == null) {
            putJson(name, NULL);
            return;
        }
        StringBuilder quoted = new StringBuilder(text.length() + 2);
        JsonWriter.quote(text, quoted);
        putJson(name, quoted.toString());
    }

    void putAll(String name, long... numbers) {
        StringBuilder list = new StringBuilder("[");
        for (long number : numbers) {
            list.append(list.length() == 1 ? "" : ",").append(number);
        }
        putJson(name, list.append(']').toString());
    }

    void putNothing(String name) {
        putJson(name, NULL);
    }

    private void putJson(String name, String json) {
        for (int i = 0; i < names.length; i++) {
            if (names[i].equals(name)) {
                values[i] = json;
                return;
            }
        }
        throw new IllegalArgumentException(id + " has no " + name);
    }

    boolean hasChanged() {
        for (int i = 0; i < names.length; i++) {
            if (!values[i].equals(sent[i])) {
                return true;
            }
        }
        return false;
    }

    /** Appends the values that viewers do not have, which they have from now on. */
    void appendChanges(StringBuilder out) {
        append(out, false);
        System.arraycopy(values, 0, sent, 0, sent.length);
    }

    /** Appends the values that viewers have, for another one. */
    void appendSent(StringBuilder out) {
        append(out, true);
    }

    private void append(StringBuilder out, boolean all) {
        out.append('"').append(id).append("\":{");
        boolean any = false;
        for (int i = 0; i < names.length; i++) {
            String value = all ? sent[i] : values[i];
            if (all ? !value.equals(NULL) : !value.equals(sent[i])) {
                out.append(any ? ",\"" : "\"").append(names[i]).append("\":").append(value);
                any = true;
            }
        }
        out.append('}');
    }
}
