package io.remora.flame;

/**
 * The description of a profile that is written.
 *
 * @param title the heading of a graph
 * @param note the line below it
 * @param period nanoseconds that a sample stands for, or bytes between two samples; 0 where that is unknown
 * @param timeMs when the profile was taken, since 1970; 0 where that is unknown
 * @param durationMs the time that the profile took; 0 where that is unknown
 */
public record FlameHead(String title, String note, Measure measure, long period, long timeMs, long durationMs) {}
