package io.remora.loadtest;

import java.io.FileNotFoundException;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;

/** Writes one interval of tagged histograms as an HdrHistogram log; values are nanoseconds. */
final class IntervalLog implements AutoCloseable {
    private static final double NS_PER_MS = 1e6;

    private final HistogramLogWriter writer;

    IntervalLog(String file) throws FileNotFoundException {
        writer = new HistogramLogWriter(file);
        writer.outputLogFormatVersion();
        writer.outputLegend();
    }

    /** The histogram's own start and end time stamps are written with it. */
    void write(String tag, Histogram histogram) {
        histogram.setTag(tag);
        writer.outputIntervalHistogram(
                histogram.getStartTimeStamp() / 1e3, histogram.getEndTimeStamp() / 1e3, histogram, NS_PER_MS);
    }

    @Override
    public void close() {
        writer.close();
    }
}
