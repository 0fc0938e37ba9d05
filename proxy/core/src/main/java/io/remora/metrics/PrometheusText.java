package io.remora.metrics;

/**
 * The Prometheus text format, 0.0.4. Not thread safe.
 *
 * <p>Order: {@link #family}, then for each sample {@link #sample}, its labels, its value.
 */
final class PrometheusText {
    private final StringBuilder out;
    private boolean labelled;

    PrometheusText(StringBuilder out) {
        this.out = out;
    }

    void family(Metric metric) {
        out.append("# HELP ")
                .append(metric.metric)
                .append(' ')
                .append(metric.help)
                .append('\n');
        out.append("# TYPE ")
                .append(metric.metric)
                .append(' ')
                .append(metric.type)
                .append('\n');
    }

    /** A family of one sample without labels; a negative value, which is an unknown one, leaves it out. */
    void single(Metric metric, long value) {
        if (value >= 0) {
            family(metric);
            sample(metric, "").value(value);
        }
    }

    /** As {@link #single(Metric, long)}. */
    void single(Metric metric, double value) {
        if (value >= 0) {
            family(metric);
            sample(metric, "").value(value);
        }
    }

    PrometheusText sample(Metric metric, String suffix) {
        out.append(metric.metric).append(suffix);
        labelled = false;
        return this;
    }

    PrometheusText label(String name, String value) {
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

    void value(long value) {
        closeLabels();
        out.append(value).append('\n');
    }

    void value(double value) {
        closeLabels();
        out.append(value).append('\n');
    }

    private void closeLabels() {
        if (labelled) {
            out.append('}');
        }
        out.append(' ');
    }
}
