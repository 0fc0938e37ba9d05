package io.remora.config.model;

/**
 * One line an exchange.
 *
 * @param output {@code stdout} or the path of a file that lines are appended to
 * @param queueEntries lines that may wait for the writer; the next one is dropped and counted
 * @param sample millionths of the exchanges that end well, which have a line; 0 for none
 */
public record AccessLogConfig(Format format, String output, int queueEntries, int sample) {
    /** The sample that is every exchange. */
    public static final int ALL = 1_000_000;

    /** Makes a log with a line for every exchange. */
    public AccessLogConfig(Format format, String output, int queueEntries) {
        this(format, output, queueEntries, ALL);
    }

    /** The format of a line. */
    public enum Format {
        JSON,
        COMBINED
    }
}
