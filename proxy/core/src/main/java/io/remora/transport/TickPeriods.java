package io.remora.transport;

/**
 * How often a loop looks through its deadlines: while there is traffic, and while no deadline was set since the tick before.
 *
 * @param busyNs which is also how often the loop's lateness is measured under load
 * @param restingNs at least as long
 */
public record TickPeriods(long busyNs, long restingNs) {}
