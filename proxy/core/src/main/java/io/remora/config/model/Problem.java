package io.remora.config.model;

import io.remora.text.Ascii;

/**
 * One error in a configuration, and its place. Immutable.
 *
 * @param file the file's name, as the reader knows it
 * @param line from 1
 * @param column from 1, in characters
 * @param message the error, and behind a comma the expectation; one line
 */
public record Problem(String file, int line, int column, String message) implements Comparable<Problem> {
    /** Keeps both texts on one line, as they may quote control characters of the configuration. */
    public Problem {
        file = Ascii.oneLine(file);
        message = Ascii.oneLine(message);
    }

    @Override
    public int compareTo(Problem other) {
        int order = Integer.compare(line, other.line);
        order = order != 0 ? order : Integer.compare(column, other.column);
        return order != 0 ? order : message.compareTo(other.message);
    }

    @Override
    public String toString() {
        return file + ":" + line + ":" + column + ": " + message;
    }
}
