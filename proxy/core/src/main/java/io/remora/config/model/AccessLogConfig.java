package io.remora.config.model;

/**
 * One line an exchange.
 *
 * @param output {@code stdout} or the path of a file that lines are appended to
 * @param queueEntries lines that may wait for the writer; the next one is dropped and counted
 * @param sample millionths of the exchanges that end well, which have a line; 0 for none
 */
public record AccessLogConfig(Format format, String output, int queueEntries, int sample) {
    /** As a sample, every exchange. */
    public static final int ALL = 1_000_000;

    /** With a line for every exchange. */
    public AccessLogConfig(Format format, String output, int queueEntries) {
        this(format, output, queueEntries, ALL);
    }

    /** How a line is laid out. */
    public enum Format {
        JSON,
        COMBINED
    }
}
