/**
 * Draws charts from descriptions in JSON.
 *
 * <p>{@link io.remora.loadtest.charts.Draw} is the program; ChartSpec is the description, ChartBuilder makes a chart of
 * it, with ChartStyle for its looks and SpreadBars for the ranges of bars, and SvgText tidies what is written as SVG.
 */
@NullMarked
package io.remora.loadtest.charts;

import org.jspecify.annotations.NullMarked;
