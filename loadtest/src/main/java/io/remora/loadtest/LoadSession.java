package io.remora.loadtest;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.HdrHistogram.AbstractHistogram;
import org.HdrHistogram.EncodableHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;

/**
 * A load generator that stays warm between runs: a command a line on standard input, answered by one line of names and
 * figures.
 *
 * <pre>
 * load PORT PATH RATE CONNECTIONS WARMUP_SECONDS SECONDS    see {@link FixedRateLoad}
 * latency FILE TAG                                          percentiles of an HdrHistogram interval log's histograms of
 * that tag
 * </pre>
 */
public final class LoadSession {
    private LoadSession() {}

    public static void main(String[] arguments) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            System.out.println(answer(line.split(" ")));
            System.out.flush();
        }
    }

    private static String answer(String[] words) throws Exception {
        return switch (words[0]) {
            case "load" -> load(words);
            case "latency" -> latency(words[1], words[2]);
            default -> throw new IllegalArgumentException("no such command: " + words[0]);
        };
    }

    private static String load(String[] words) throws InterruptedException {
        FixedRateLoad load = new FixedRateLoad(
                Integer.parseInt(words[1]), words[2], Integer.parseInt(words[3]), Integer.parseInt(words[4]));
        double warmupSeconds = Double.parseDouble(words[5]);
        double seconds = Double.parseDouble(words[6]);
        Histogram all = load.run((long) (warmupSeconds * 1e9), (long) (seconds * 1e9));
        return "failed " + load.failed() + " rate " + (long) (all.getTotalCount() / seconds) + " " + percentiles(all);
    }

    private static String latency(String file, String tag) throws IOException {
        Histogram all = new Histogram(1_000, 60_000_000_000L, 3);
        try (HistogramLogReader reader = new HistogramLogReader(file)) {
            while (reader.hasNext()) {
                EncodableHistogram next = reader.nextIntervalHistogram();
                if (next instanceof AbstractHistogram histogram && tag.equals(next.getTag())) {
                    all.add(histogram);
                }
            }
        }
        return percentiles(all);
    }

    private static String percentiles(Histogram histogram) {
        return String.format(
                Locale.ROOT,
                "requests %d p50_us %.1f p90_us %.1f p99_us %.1f p999_us %.1f max_us %.1f",
                histogram.getTotalCount(),
                histogram.getValueAtPercentile(50) / 1e3,
                histogram.getValueAtPercentile(90) / 1e3,
                histogram.getValueAtPercentile(99) / 1e3,
                histogram.getValueAtPercentile(99.9) / 1e3,
                histogram.getMaxValue() / 1e3);
    }
}
