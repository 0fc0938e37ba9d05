package io.remora.bundle;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The page {@code /config} by an allow-list of keys. What is left out has {@value #OUT} for its value, and nothing of what
 * stands below it.
 *
 * <p>The page is what {@link io.remora.config.text.ConfigText} writes: a key or an item a line. Owner: the command.
 */
final class SafeConfig {
    static final String OUT = "(left out)";
    private static final String KEYS = "keys.txt";
    private static final String CLUSTER = "clusters.*";
    private static final List<String> NAMES = List.of("listeners.name", "listeners.routes.name");
    private static final List<String> ADDRESSES =
            List.of("clusters.*.endpoints", "clusters.*.endpoints.address", "listeners.address", "admin.address");
    private static final String GENERATION = "# generation ";

    private final Set<String> keys;
    private final Set<String> names = new HashSet<>();
    private final StringBuilder out = new StringBuilder();
    /** The keys above the line, each with its column. */
    private final List<String> path = new ArrayList<>();

    private final List<Integer> columns = new ArrayList<>();
    /** Column of a key that was left out, with all that is further right; negative for none. */
    private int skipped = -1;

    private int leftOut;

    private SafeConfig(Set<String> keys) {
        this.keys = keys;
    }

    /** Reads the page. */
    static SafeConfig of(String page) throws IOException {
        SafeConfig config = new SafeConfig(keys());
        int at = 0;
        while (at < page.length()) {
            int end = page.indexOf('\n', at);
            config.line(page.substring(at, end < 0 ? page.length() : end));
            at = end < 0 ? page.length() : end + 1;
        }
        return config;
    }

    /** Returns the allowed keys, each with those above it. */
    static Set<String> keys() throws IOException {
        Set<String> keys = new HashSet<>();
        try (InputStream in = SafeConfig.class.getResourceAsStream(KEYS)) {
            if (in == null) {
                throw new IOException("the jar has no list of keys for bundles");
            }
            BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.US_ASCII));
            String line;
            while ((line = lines.readLine()) != null) {
                if (!line.startsWith("#")) {
                    keys.add(line);
                }
            }
        }
        return keys;
    }

    String text() {
        return out.toString();
    }

    /** Returns the names of listeners, routes and clusters, and the addresses of both, as far as they may be shown. */
    Set<String> names() {
        return names;
    }

    /** Returns how many values were left out. */
    int leftOut() {
        return leftOut;
    }

    private void line(String line) {
        int column = 0;
        while (column < line.length() && line.charAt(column) == ' ') {
            column++;
        }
        String rest = line.substring(column);
        if (rest.isEmpty() || rest.startsWith("#")) {
            // what a reload said may quote anything
            if (rest.startsWith(GENERATION)) {
                out.append(rest).append('\n');
            }
            return;
        }
        if (skipped >= 0 && column > skipped) {
            return;
        }
        skipped = -1;
        boolean item = rest.startsWith("- ");
        String content = item ? rest.substring(2) : rest;
        String key = keyOf(content);
        if (key == null) {
            entry(column, content);
            return;
        }
        int keyColumn = item ? column + 2 : column;
        String value = content.substring(content.startsWith("\"") ? key.length() + 3 : key.length() + 1)
                .trim();
        key(line.substring(0, keyColumn), keyColumn, key, value);
    }

    private void key(String before, int column, String key, String value) {
        ascend(column);
        String parent = String.join(".", path);
        String full = parent.isEmpty() ? key : parent + '.' + key;
        String any = parent + ".*";
        String known = keys.contains(full) ? full : keys.contains(any) && SafeValue.isWord(key) ? any : null;
        if (known == null) {
            boolean named = parent.isEmpty() || keys.contains(parent);
            if (named && isKey(key) && !keys.contains(any)) {
                out.append(before).append(key).append(": ").append(OUT).append('\n');
            }
            leftOut++;
            skipped = column;
            return;
        }
        path.add(known.substring(known.lastIndexOf('.') + 1));
        columns.add(column);
        if (known.equals(CLUSTER)) {
            names.add(key);
        }
        out.append(before).append(key).append(':');
        if (!value.isEmpty()) {
            out.append(' ').append(shown(known, value));
        }
        out.append('\n');
    }

    private void entry(int column, String value) {
        ascend(column + 1);
        String known = String.join(".", path);
        for (int i = 0; i < column; i++) {
            out.append(' ');
        }
        out.append("- ").append(shown(known, value)).append('\n');
    }

    private String shown(String key, String value) {
        boolean masked =
                value.startsWith("\"") || !SafeValue.isWord(value) && !SafeValue.isRate(value) && !isEmpty(value);
        if (masked) {
            leftOut++;
            return OUT;
        }
        if (NAMES.contains(key) || ADDRESSES.contains(key)) {
            names.add(value);
        }
        return value;
    }

    private static boolean isEmpty(String value) {
        return value.equals("[]") || value.equals("{}") || value.equals("\"\"");
    }

    // away from keys that stand as far to the right, or further
    private void ascend(int column) {
        while (!columns.isEmpty() && columns.get(columns.size() - 1) >= column) {
            columns.remove(columns.size() - 1);
            path.remove(path.size() - 1);
        }
    }

    private static boolean isKey(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if ((c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-') {
                return false;
            }
        }
        return true;
    }

    /** Returns the key of a line, null where it has a value alone. */
    private static @Nullable String keyOf(String content) {
        if (content.startsWith("\"")) {
            int end = content.indexOf("\":");
            return end < 0 ? null : content.substring(1, end);
        }
        int colon = content.indexOf(": ");
        if (colon < 0 && content.endsWith(":")) {
            colon = content.length() - 1;
        }
        return colon < 0 ? null : content.substring(0, colon);
    }
}
