/** Counters, latency histograms and their text exposition. Uses the JDK, HdrHistogram and {@link io.remora.process} only. */
@NullMarked
package io.remora.metrics;

import org.jspecify.annotations.NullMarked;
