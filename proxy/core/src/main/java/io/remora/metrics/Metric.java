package io.remora.metrics;

/** A line in a table of metrics. Only enums implement it, and each constant is one line. */
public interface Metric {
    int ordinal();

    Family family();
}
