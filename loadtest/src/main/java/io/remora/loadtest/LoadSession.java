package io.remora.loadtest;

import java.io.IOException;
import org.HdrHistogram.Histogram;

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
        Commands.serve(LoadSession::answer);
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
        return "failed " + load.failed() + " rate " + (long) (all.getTotalCount() / seconds) + " " + figures(all);
    }

    private static String latency(String file, String tag) throws IOException {
        return figures(Histograms.byTag(file).getOrDefault(tag, Percentiles.histogram()));
    }

    private static String figures(Histogram histogram) {
        return "requests " + histogram.getTotalCount() + " " + Percentiles.line("", histogram);
    }
}
