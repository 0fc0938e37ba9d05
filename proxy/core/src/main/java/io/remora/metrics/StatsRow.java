package io.remora.metrics;

/**
 * A row of a table of counters, which is a {@link Counts}. An interface, since the JVM verifies a class that hands a row to
 * {@link Stats#add} without loading the row's class for that: a feature that is not configured stays unloaded.
 */
public interface StatsRow {}
