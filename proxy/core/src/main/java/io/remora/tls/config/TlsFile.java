package io.remora.tls.config;

import io.remora.config.model.Problem;

/**
 * A file with key material: its path, and where the configuration names it. Two are the same if their paths are. Immutable.
 */
public final class TlsFile {
    private final String path;
    private final int line;
    private final int column;

    public TlsFile(String path, int line, int column) {
        this.path = path;
        this.line = line;
        this.column = column;
    }

    public String path() {
        return path;
    }

    /**
     * Returns a problem with the file at its place.
     *
     * @param configuration the configuration's name, as the reader knows it
     */
    public Problem problem(String configuration, String message) {
        return new Problem(configuration, line, column, path + ": " + message);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TlsFile file && file.path.equals(path);
    }

    @Override
    public int hashCode() {
        return path.hashCode();
    }

    @Override
    public String toString() {
        return path;
    }
}
