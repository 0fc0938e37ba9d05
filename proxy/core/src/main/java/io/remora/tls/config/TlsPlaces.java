package io.remora.tls.config;

import io.remora.config.model.Problem;

/**
 * The places of the keys of one {@code tls} in the file, for problems that only its files or the engine bring up. All
 * are equal, because a configuration that is written elsewhere is no other one. Immutable.
 */
public final class TlsPlaces {
    /** The places of a configuration that stands in no file. */
    public static final TlsPlaces NONE = new TlsPlaces(1, 1, new String[0], new int[0], new int[0]);

    private final int line;
    private final int column;
    private final String[] keys;
    private final int[] lines;
    private final int[] columns;

    /**
     * Arrays are not copied.
     *
     * @param line of the mapping
     * @param keys that it has, with the line and the column of each one's value
     */
    public TlsPlaces(int line, int column, String[] keys, int[] lines, int[] columns) {
        this.line = line;
        this.column = column;
        this.keys = keys;
        this.lines = lines;
        this.columns = columns;
    }

    /**
     * Returns a problem with the value of a key; where the file does not have the key, it stands at the mapping.
     *
     * @param configuration the configuration's name, as the reader knows it
     * @param key empty for none alone
     */
    public Problem problem(String configuration, String key, String message) {
        String text = (key.isEmpty() ? "tls" : key) + ": " + message;
        for (int i = 0; i < keys.length; i++) {
            if (keys[i].equals(key)) {
                return new Problem(configuration, lines[i], columns[i], text);
            }
        }
        return new Problem(configuration, line, column, text);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TlsPlaces;
    }

    @Override
    public int hashCode() {
        return 0;
    }
}
