package io.remora.metrics;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;

/**
 * The latency log: an interval of every histogram, in HdrHistogram's own text.
 *
 * <p>An interval begins where the last one ended, for any reader. Readers that share the log each get a part of the
 * exchanges, none of them twice, and HdrHistogram adds the parts up.
 *
 * <p>Owner: the admin thread. Cost: loads the JDK's formatter and deflater at the first call.
 */
public final class LatencyLog {
    private static final double MS_PER_SECOND = 1_000;

    private final LatencyTotals totals;
    private long fromMs;

    public LatencyLog(LatencyTotals totals, long startMs) {
        this.totals = totals;
        fromMs = startMs;
    }

    /** Ends the interval and tells it. */
    public String take(long nowMs) {
        totals.drain();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(4_096);
        HistogramLogWriter writer = new HistogramLogWriter(bytes);
        writer.outputComment("[Logged with Remora]");
        writer.outputLogFormatVersion();
        writer.outputStartTime(fromMs);
        writer.outputLegend();
        for (LatencyTotals.Total total : totals.all()) {
            append(writer, total, nowMs);
        }
        writer.close();
        fromMs = nowMs;
        return bytes.toString(StandardCharsets.US_ASCII);
    }

    private void append(HistogramLogWriter writer, LatencyTotals.Total total, long nowMs) {
        Histogram interval = total.takeInterval();
        interval.setTag(tag(total));
        writer.outputIntervalHistogram(fromMs / MS_PER_SECOND, nowMs / MS_PER_SECOND, interval);
    }

    /** {@code LISTENER.KIND}, without the characters that end a field of the log. */
    private static String tag(LatencyTotals.Total total) {
        StringBuilder tag = new StringBuilder(total.name).append('.').append(total.metric.family().tag);
        for (int i = 0; i < tag.length(); i++) {
            char c = tag.charAt(i);
            if (c <= ' ' || c == ',' || c > '~') {
                tag.setCharAt(i, '_');
            }
        }
        return tag.toString();
    }
}
