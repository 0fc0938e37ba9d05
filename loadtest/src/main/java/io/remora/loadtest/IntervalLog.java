package io.remora.loadtest;

import java.io.File;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.HdrHistogram.AbstractHistogram;
import org.HdrHistogram.EncodableHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;
import org.HdrHistogram.HistogramLogWriter;

/** HdrHistogram's interval logs: one tagged histogram a line. */
final class IntervalLog {
    private IntervalLog() {}

    /** Replaces the file. */
    static void write(String file, List<Histogram> intervals) throws IOException {
        HistogramLogWriter writer = new HistogramLogWriter(file);
        try {
            writer.outputLogFormatVersion();
            writer.outputComment("[values are nanoseconds, maxima milliseconds, times seconds since the epoch]");
            writer.outputLegend();
            intervals.forEach(writer::outputIntervalHistogram);
        } finally {
            writer.close();
        }
    }

    /** Adds up the intervals of each tag; those without a tag are called "untagged". */
    static void read(String file, SortedMap<String, Histogram> sums) throws IOException {
        if (!new File(file).isFile()) {
            throw new NoSuchFileException(file);
        }
        try (HistogramLogReader reader = new HistogramLogReader(file)) {
            while (reader.hasNext()) {
                EncodableHistogram next = reader.nextIntervalHistogram();
                if (next instanceof AbstractHistogram histogram) {
                    String tag = next.getTag() == null ? "untagged" : next.getTag();
                    sums.computeIfAbsent(tag, unused -> Percentiles.sum()).add(histogram);
                }
            }
        }
    }

    static SortedMap<String, Histogram> read(String file) throws IOException {
        SortedMap<String, Histogram> sums = new TreeMap<>();
        read(file, sums);
        return sums;
    }
}
