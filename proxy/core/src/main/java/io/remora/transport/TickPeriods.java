package io.remora.transport;

/**
 * How often a loop looks through its deadlines.
 *
 * @param busyNs while there is traffic; which is also how often the loop's lateness is measured
 * @param restingNs the least while no deadline was set since the tick before; at least as long
 */
public record TickPeriods(long busyNs, long restingNs) {}
