package io.remora.config;

/**
 * One line an exchange.
 *
 * @param output {@code stdout} or the path of a file that lines are appended to
 * @param queueEntries lines that may wait for the writer; the next one is dropped and counted
 */
public record AccessLogConfig(Format format, String output, int queueEntries) {
    /** How a line is laid out. */
    public enum Format {
        JSON,
        COMBINED
    }
}
