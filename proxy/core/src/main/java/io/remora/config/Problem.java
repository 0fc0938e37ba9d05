package io.remora.config;

/**
 * One thing that is wrong with a configuration, and where. Immutable.
 *
 * @param file what the reader was told the file is called
 * @param line from 1
 * @param column from 1, in characters
 * @param message what is wrong, and behind a comma what was expected; one line
 */
public record Problem(String file, int line, int column, String message) implements Comparable<Problem> {
    @Override
    public int compareTo(Problem other) {
        int byLine = Integer.compare(line, other.line);
        return byLine != 0 ? byLine : Integer.compare(column, other.column);
    }

    @Override
    public String toString() {
        return file + ":" + line + ":" + column + ": " + message;
    }
}
