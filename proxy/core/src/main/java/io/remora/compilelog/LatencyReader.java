package io.remora.compilelog;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Reader of the sidecar's latency log, or of any other HdrHistogram interval log in nanoseconds.
 *
 * <p>Tags of one interval are added up: those of listeners that end in {@code .total}, or one that the user names. A
 * line without a tag always counts.
 *
 * <p>Bounds: 16,384 intervals; further ones only count in the sums. Spec: HdrHistogram's {@code HistogramLogWriter},
 * log format 1.3.
 */
final class LatencyReader {
    private static final int MAX_INTERVALS = 1 << 14;
    private static final int MAX_LINE = 1 << 20;
    private static final String START = "#[StartTime: ";
    private static final String BASE = "#[BaseTime: ";
    private static final String LEGEND = "\"StartTimestamp\"";
    private static final String TOTAL = ".total";
    private static final double YEAR = 365 * 24 * 3_600.0;
    private static final double MS = 1_000;

    private final String file;
    private final @Nullable String tag;
    private final long vmStartMs;
    private final Window window;
    private final List<Storm> storms;
    private final LatencyReport report = new LatencyReport();
    private double startTime;
    private double baseTime;
    private @Nullable Histogram interval;
    private long fromMs;
    private long toMs;

    /**
     * Creates a reader.
     *
     * @param tag of the lines to read; null for all that end in {@code .total}
     * @param vmStartMs the start of the VM since the epoch
     */
    LatencyReader(String file, @Nullable String tag, long vmStartMs, Window window, List<Storm> storms) {
        this.file = file;
        this.tag = tag;
        this.vmStartMs = vmStartMs;
        this.window = window;
        this.storms = storms;
    }

    LatencyReport read(InputStream in) throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.ISO_8859_1));
        StringBuilder line = new StringBuilder();
        long number = 0;
        while (readLine(lines, line, number + 1)) {
            number++;
            try {
                read(line.toString());
            } catch (IllegalArgumentException e) {
                throw new MalformedLogException(file, number, String.valueOf(e.getMessage()));
            }
        }
        endInterval();
        return report;
    }

    private boolean readLine(BufferedReader lines, StringBuilder line, long number) throws IOException {
        line.setLength(0);
        int octet = lines.read();
        boolean isThere = octet >= 0;
        while (octet >= 0 && octet != '\n') {
            if (line.length() == MAX_LINE) {
                throw new MalformedLogException(file, number, "a line of more than " + MAX_LINE + " bytes");
            }
            line.append((char) octet);
            octet = lines.read();
        }
        return isThere;
    }

    private void read(String line) {
        if (line.startsWith(START)) {
            startTime = time(line, START);
        } else if (line.startsWith(BASE)) {
            baseTime = time(line, BASE);
        } else if (!line.isBlank() && !line.startsWith("#") && !line.startsWith(LEGEND)) {
            add(LatencyLine.of(line));
        }
    }

    private static double time(String line, String before) {
        int end = before.length();
        while (end < line.length() && (line.charAt(end) == '.' || line.charAt(end) >= '0' && line.charAt(end) <= '9')) {
            end++;
        }
        return LatencyLine.seconds(line.substring(before.length(), end));
    }

    private void add(LatencyLine line) {
        if (!isWanted(line.tag)) {
            return;
        }
        // times far below the start of the log are relative to it
        double base = baseTime > 0 ? baseTime : line.start < startTime - YEAR ? startTime : 0;
        long from = Math.round((base + line.start) * MS) - vmStartMs;
        long to = from + Math.round(line.length * MS);
        if (interval == null || from != fromMs || to != toMs) {
            endInterval();
            fromMs = from;
            toMs = to;
            interval = line.histogram();
        } else {
            // a histogram of a wider range takes all values
            interval.setAutoResize(true);
            interval.add(line.histogram());
        }
    }

    private boolean isWanted(String name) {
        return name.isEmpty() || (tag == null ? name.endsWith(TOTAL) : tag.equals(name));
    }

    private void endInterval() {
        Histogram ended = interval;
        interval = null;
        if (ended == null || ended.getTotalCount() == 0 || !window.has(Math.max(0, toMs - 1))) {
            return;
        }
        LatencyPoint point = LatencyPoint.of(fromMs, toMs, ended);
        boolean isInStorm = false;
        for (Storm storm : storms) {
            if (storm.overlaps(fromMs, toMs)) {
                storm.latency(point);
                isInStorm = true;
            }
        }
        report.add(point, ended, isInStorm, MAX_INTERVALS);
    }
}
