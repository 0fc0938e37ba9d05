package io.remora.config;

/**
 * Where the keys of one {@code tls} stand in the file, for problems that only its files or the engine bring up. All are the
 * same: it makes no other configuration to write it elsewhere. Immutable.
 */
public final class TlsPlaces {
    /** Of a configuration that stands in no file. */
    public static final TlsPlaces NONE = new TlsPlaces(1, 1, 0);

    private final int line;
    private final int column;
    private final String[] keys;
    private final int[] lines;
    private final int[] columns;

    private TlsPlaces(int line, int column, int count) {
        this.line = line;
        this.column = column;
        this.keys = new String[count];
        this.lines = new int[count];
        this.columns = new int[count];
    }

    static TlsPlaces of(Section section) {
        Node node = section.node;
        TlsPlaces places = new TlsPlaces(node.line, node.column, node.children.size() / 2);
        for (int i = 0; i < places.keys.length; i++) {
            Node value = node.children.get(2 * i + 1);
            places.keys[i] = node.children.get(2 * i).text;
            places.lines[i] = value.line;
            places.columns[i] = value.column;
        }
        return places;
    }

    /**
     * Something that is wrong with the value of a key; where the file does not have the key, it stands at the mapping.
     *
     * @param configuration what the reader was told the configuration is called
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
