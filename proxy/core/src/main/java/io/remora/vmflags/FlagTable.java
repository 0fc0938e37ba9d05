package io.remora.vmflags;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Flags of this JVM with their defaults, from what {@code jvm-profiles/vm-flags} prints. Immutable.
 *
 * <p>Bounds: only the flags that somebody asks for are kept, of at most {@value #MAX_LINES} lines.
 */
final class FlagTable {
    /** A default that depends on the machine. */
    private static final String UNKNOWN = "?";

    private static final String NONE = "-";
    private static final int MAX_LINES = 5_000;
    private static final int COLUMNS = 5;

    private final Map<String, Row> rows;

    private FlagTable(Map<String, Row> rows) {
        this.rows = rows;
    }

    /** Reads the rows of these flags. */
    static FlagTable read(Reader text, Set<String> names) throws IOException {
        Map<String, Row> rows = new HashMap<>();
        BufferedReader lines = new BufferedReader(text);
        String line;
        for (int i = 0; i < MAX_LINES && (line = lines.readLine()) != null; i++) {
            int end = line.indexOf(' ');
            if (end > 0 && names.contains(line.substring(0, end))) {
                Row row = row(line, end);
                if (row != null) {
                    rows.put(line.substring(0, end), row);
                }
            }
        }
        return new FlagTable(rows);
    }

    // NAME TYPE KIND RELEASE DEFAULT, of which the last may be empty or have blanks
    private static @Nullable Row row(String line, int nameEnd) {
        String[] words = new String[COLUMNS - 2];
        int at = nameEnd;
        for (int i = 0; i < words.length; i++) {
            int end = line.indexOf(' ', at + 1);
            if (end < 0) {
                return null;
            }
            words[i] = line.substring(at + 1, end);
            at = end;
        }
        String value = line.substring(at + 1);
        return new Row(
                words[0], words[1], words[2].equals(NONE) ? null : words[2], value.equals(UNKNOWN) ? null : value);
    }

    @Nullable
    Row row(String name) {
        return rows.get(name);
    }

    /**
     * One flag.
     *
     * @param type in HotSpot, such as {@code bool} or {@code ccstrlist}
     * @param kind one or more of HotSpot's words, such as {@code C2,product}
     * @param deprecatedIn the release that deprecated it, null if none has
     * @param value the default, null where it depends on the machine
     */
    record Row(
            String type,
            String kind,
            @Nullable String deprecatedIn,
            @Nullable String value) {
        boolean isOfC2() {
            return kind.startsWith("C2");
        }

        /** Returns whether each mention adds to those before it. */
        boolean adds() {
            return type.equals("ccstrlist");
        }
    }
}
