package io.remora.config.yaml;

import io.remora.config.keys.Choice;
import io.remora.config.keys.Key;
import io.remora.config.keys.KeyWriter;
import io.remora.config.keys.OperatorKeys;
import io.remora.config.keys.ShareText;
import io.remora.config.keys.ValueKey;
import io.remora.config.model.AccessLogConfig;
import io.remora.config.model.AccessLogConfig.Format;

/** The {@code access-log}: its keys in the order of the page, read and shown. Loaded only where it is configured. */
public final class AccessLogPart {
    private static final String FAILURES = "failures";

    /** The layout of a line. Programs take JSON apart without a pattern. */
    public static final Choice<Format> FORMAT =
            new Choice<>(OperatorKeys.ACCESS_LOG, "format", Format.values(), Format.JSON);

    /** Destination of the lines. Container runtimes collect standard output; a file is appended to. */
    public static final Key OUTPUT = Key.text(OperatorKeys.ACCESS_LOG, "output", "stdout or a path", "stdout");

    /**
     * Lines that may wait to be written. Beyond it, and beyond a sixteenth of the heap, lines are dropped and counted.
     * The default bridges one second of a busy disk at a thousand requests a second.
     */
    public static final ValueKey<Integer> QUEUE = Key.count(OperatorKeys.ACCESS_LOG, "queue", 1, Key.MAX_COUNT, 1_024);

    /**
     * Selects the exchanges that are logged: {@code all}, or only {@code failures}. Failures are exchanges that fail,
     * or that have a status of 500 or above, or a gRPC status that is the endpoint's failure.
     */
    public static final Key ONLY = Key.text(OperatorKeys.ACCESS_LOG, "only", "`all` or `failures`", "all");

    /**
     * The share of successful exchanges that are logged, chosen by chance. Failures are always logged. {@code
     * remora_access_log_skipped_total} counts the exchanges that are left out.
     */
    public static final Key SAMPLE = Key.text(OperatorKeys.ACCESS_LOG, "sample", "share from `0.000001` to `1`", "1");

    private AccessLogPart() {}

    static AccessLogConfig read(Section section, Problems problems) {
        Format format = section.get(FORMAT);
        Node output = section.text(OUTPUT);
        if (output != null) {
            FilePath.judge(output, "output", output.text, "stdout or the path of a file", problems);
        }
        int queue = section.get(QUEUE);
        int sample = sample(section, problems);
        section.end();
        return new AccessLogConfig(format, output == null ? OUTPUT.fallbackText() : output.text, queue, sample);
    }

    private static int sample(Section section, Problems problems) {
        Node only = section.text(ONLY);
        Node sample = section.text(SAMPLE);
        boolean failures = only != null && only.isText(FAILURES);
        if (only != null && !failures && !only.isText(ONLY.fallbackText())) {
            problems.at(only, "only is " + only.quoted() + ", expected failures or all");
        }
        if (sample == null) {
            return failures ? 0 : AccessLogConfig.ALL;
        }
        if (failures) {
            problems.at(sample, "sample next to only: failures, expected one of the two");
        }
        int millionths = ShareText.millionths(sample.text);
        if (millionths <= 0 || millionths > AccessLogConfig.ALL) {
            String expected = ", expected a share such as 0.1, from 0.000001 to 1";
            problems.at(sample, SAMPLE.name + " is " + sample.quoted() + expected);
            return AccessLogConfig.ALL;
        }
        return millionths;
    }

    public static void show(KeyWriter out, AccessLogConfig accessLog) {
        out.put(FORMAT, accessLog.format());
        out.text(OUTPUT, accessLog.output());
        out.put(QUEUE, accessLog.queueEntries());
        if (accessLog.sample() == 0) {
            out.plain(ONLY, FAILURES);
        } else {
            out.plain(ONLY, ONLY.fallbackText());
            out.plain(SAMPLE, ShareText.text(accessLog.sample()));
        }
    }
}
