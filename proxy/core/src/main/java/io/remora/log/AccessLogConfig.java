package io.remora.log;

import io.remora.config.keys.Choice;
import io.remora.config.keys.Key;
import io.remora.config.keys.KeyWriter;
import io.remora.config.keys.OperatorKeys;
import io.remora.config.keys.PlacedOption;
import io.remora.config.keys.ShareText;
import io.remora.config.keys.ValueKey;
import io.remora.config.model.Option;

/**
 * One line an exchange.
 *
 * @param output {@code stdout} or the path of a file that lines are appended to
 * @param queueEntries lines that may wait for the writer; the next one is dropped and counted
 * @param sample millionths of the exchanges that end well, which have a line; 0 for none
 */
public record AccessLogConfig(Format format, String output, int queueEntries, int sample) implements PlacedOption {
    public static final Option<AccessLogConfig> ACCESS_LOG = Option.of("access-log");

    /** The sample that is every exchange. */
    public static final int ALL = 1_000_000;

    static final String FAILURES = "failures";

    /** Format of the lines. JSON lines can be parsed without a pattern. */
    public static final Choice<Format> FORMAT =
            new Choice<>(OperatorKeys.ACCESS_LOG, "format", Format.values(), Format.JSON);

    /** Destination of the lines. Container runtimes collect standard output. Lines are appended to an existing file. */
    public static final Key OUTPUT = Key.text(OperatorKeys.ACCESS_LOG, "output", "stdout or a path", "stdout");

    /**
     * Maximum number of lines that wait to be written. If the queue is full or takes more than 1/16 of the heap, lines
     * are dropped and counted. With the default, a disk can be busy for one second at 1,000 requests per second.
     */
    public static final ValueKey<Integer> QUEUE = Key.count(OperatorKeys.ACCESS_LOG, "queue", 1, Key.MAX_COUNT, 1_024);

    /**
     * Exchanges to log: {@code all} or only {@code failures}. Failures are exchanges that fail, that have a status of
     * 500 or above, or that have a gRPC status caused by the endpoint.
     */
    public static final Key ONLY = Key.text(OperatorKeys.ACCESS_LOG, "only", "`all` or `failures`", "all");

    /**
     * Fraction of successful exchanges to log, chosen at random. Failures are always logged. {@code
     * remora_access_log_skipped_total} counts omitted exchanges.
     */
    public static final Key SAMPLE = Key.text(OperatorKeys.ACCESS_LOG, "sample", "share from `0.000001` to `1`", "1");

    /** Makes a log with a line for every exchange. */
    public AccessLogConfig(Format format, String output, int queueEntries) {
        this(format, output, queueEntries, ALL);
    }

    /** The format of a line. */
    public enum Format {
        JSON,
        COMBINED
    }

    @Override
    public void show(KeyWriter out, Key key) {
        out.section(key);
        out.put(FORMAT, format);
        out.text(OUTPUT, output);
        out.put(QUEUE, queueEntries);
        if (sample == 0) {
            out.plain(ONLY, FAILURES);
        } else {
            out.plain(ONLY, ONLY.fallbackText());
            out.plain(SAMPLE, ShareText.text(sample));
        }
    }
}
