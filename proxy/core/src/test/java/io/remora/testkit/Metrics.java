package io.remora.testkit;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** One scrape of {@code /metrics}. Immutable. */
public final class Metrics {
    private final List<Sample> samples;

    /** One line: {@code name{label="value"} value}. */
    private record Sample(String name, String labels, double value) {
        boolean has(String label, String labelValue) {
            return labels.contains(label + "=\"" + labelValue + "\"");
        }
    }

    private Metrics(List<Sample> samples) {
        this.samples = List.copyOf(samples);
    }

    public static Metrics parse(String page) {
        List<Sample> samples = new ArrayList<>();
        page.lines().filter(line -> !line.startsWith("#")).forEach(line -> {
            int space = line.lastIndexOf(' ');
            int brace = line.indexOf('{');
            String name = line.substring(0, brace < 0 ? space : brace);
            String labels = brace < 0 ? "" : line.substring(brace, space);
            samples.add(new Sample(name, labels, Double.parseDouble(line.substring(space + 1))));
        });
        return new Metrics(samples);
    }

    /** Of all series together. */
    public long sum(Count count) {
        return sum(count.metric());
    }

    /**
     * Of all series with these labels together; a metric that the sidecar does not have at all is a mistake of the
     * test's.
     *
     * @param labels the name of a label, its value, and so on
     */
    public long sum(String metric, String... labels) {
        boolean known = false;
        double sum = 0;
        for (Sample sample : samples) {
            if (sample.name().equals(metric)) {
                known = true;
                sum += matches(sample, labels) ? sample.value() : 0;
            }
        }
        if (!known) {
            throw new AssertionError("no metric " + metric);
        }
        return (long) sum;
    }

    private static boolean matches(Sample sample, String... labels) {
        for (int i = 0; i + 1 < labels.length; i += 2) {
            if (!sample.has(labels[i], labels[i + 1])) {
                return false;
            }
        }
        return true;
    }

    /** Every value that the label has in the metric's series, in the page's order. */
    public Set<String> labelValues(String metric, String label) {
        Set<String> values = new LinkedHashSet<>();
        for (Sample sample : samples) {
            int at = sample.labels().indexOf(label + "=\"");
            if (sample.name().equals(metric) && at >= 0) {
                int start = at + label.length() + 2;
                values.add(sample.labels().substring(start, sample.labels().indexOf('"', start)));
            }
        }
        return values;
    }
}
