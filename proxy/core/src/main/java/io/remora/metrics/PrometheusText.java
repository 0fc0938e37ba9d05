package io.remora.metrics;

/**
 * The Prometheus text format, 0.0.4. Not thread safe. Another one that is much the same overrides what differs.
 *
 * <p>Order: {@link #family}, then for each sample {@link #sample}, further labels, its value.
 */
class PrometheusText {
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
        return bucket < LatencyMetrics.BUCKETS ? LatencyMetrics.BOUNDS_SECONDS[bucket] : "+Inf";
    }

    /**
     * The value of a bucket.
     *
     * @param name what the histogram's first label says
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

    /** As {@link #single(Metric, long)}. */
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
