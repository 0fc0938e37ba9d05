/** Counters, latency histograms and their text exposition. Uses the JDK and HdrHistogram only. */
@NullMarked
package io.remora.metrics;

import org.jspecify.annotations.NullMarked;
