package io.remora.metrics;

/** A line in a table of metrics. Only the enums of this package implement it, and each constant is one line. */
public interface Metric {
    int ordinal();

    Family family();
}
