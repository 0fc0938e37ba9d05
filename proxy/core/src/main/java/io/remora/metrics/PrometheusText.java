package io.remora.metrics;

/**
 * The Prometheus text format, 0.0.4. Not thread safe. A similar format overrides the differences.
 *
 * <p>Order: {@link #family}, then for each sample {@link #sample}, further labels, its value.
 */
class PrometheusText {
    /** Buckets of each histogram with an upper bound. */
    static final int BUCKETS = 20;

    private static final String[] BOUNDS_SECONDS = {
        "0.00005", "0.0001", "0.0002", "0.0003", "0.0005", "0.00075", "0.001", "0.002", "0.003", "0.005", "0.0075",
        "0.01", "0.025", "0.05", "0.1", "0.25", "0.5", "1", "3", "10",
    };
    static final long[] BOUNDS_NS = {
        50_000,
        100_000,
        200_000,
        300_000,
        500_000,
        750_000,
        1_000_000,
        2_000_000,
        3_000_000,
        5_000_000,
        7_500_000,
        10_000_000,
        25_000_000,
        50_000_000,
        100_000_000,
        250_000_000,
        500_000_000,
        1_000_000_000,
        3_000_000_000L,
        10_000_000_000L,
    };

    private final StringBuilder out;
    private boolean labelled;

    PrometheusText(StringBuilder out) {
        this.out = out;
    }

    void family(Metric metric) {
        Family family = metric.family();
        out.append("# HELP ")
                .append(family.name)
                .append(' ')
                .append(family.help)
                .append('\n');
        out.append("# TYPE ")
                .append(family.name)
                .append(' ')
                .append(family.type)
                .append('\n');
    }

    /** The upper bound of a histogram's bucket. */
    String bound(int bucket) {
        return bucket < BUCKETS ? BOUNDS_SECONDS[bucket] : "+Inf";
    }

    /**
     * The value of a bucket.
     *
     * @param name the value of the histogram's first label
     */
    void bucket(Metric metric, String name, int bucket, long below) {
        value(below);
    }

    /** There is nothing more. */
    void end() {}

    /** A family of one sample without labels; a negative value, which is an unknown one, leaves it out. */
    final void single(Metric metric, long value) {
        if (value >= 0) {
            family(metric);
            sample(metric).value(value);
        }
    }

    /** Writes a family of one sample, as {@link #single(Metric, long)} does. */
    final void single(Metric metric, double value) {
        if (value >= 0) {
            family(metric);
            sample(metric).value(value);
        }
    }

    /**
     * @param values of the family's labels, in their order
     */
    final PrometheusText sample(Metric metric, String... values) {
        return sampleOf(metric, "", values);
    }

    /** One of the series that make up a histogram. */
    final PrometheusText sampleOf(Metric metric, String suffix, String... values) {
        Family family = metric.family();
        out.append(family.name).append(suffix);
        labelled = false;
        for (int i = 0; i < values.length; i++) {
            label(family.labels()[i], values[i]);
        }
        return this;
    }

    final PrometheusText label(String name, String value) {
        out.append(labelled ? ',' : '{').append(name).append("=\"");
        labelled = true;
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '\n') {
                out.append("\\n");
            } else if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else {
                out.append(c);
            }
        }
        out.append('"');
        return this;
    }

    final void value(long value) {
        closeLabels();
        out.append(value).append('\n');
    }

    final void value(double value) {
        closeLabels();
        out.append(value).append('\n');
    }

    final void closeLabels() {
        if (labelled) {
            out.append('}');
        }
        out.append(' ');
    }
}
