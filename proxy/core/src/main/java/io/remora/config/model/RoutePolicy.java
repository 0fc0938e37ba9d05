package io.remora.config.model;

/**
 * The time that the requests and the attempts of a route may take. A route that repeats attempts has one as well.
 *
 * @param totalNs for the whole exchange; {@link Limits#UNLIMITED} for no bound
 * @param tryNs for each attempt, up to the head of its response; {@link Limits#UNLIMITED} for no bound
 * @param streamIdleNs in which neither side says anything; {@link #AS_LISTENER}, or {@link Limits#UNLIMITED} for no
 *     bound
 */
public record RoutePolicy(long totalNs, long tryNs, long streamIdleNs) {
    /** The listener says how long both sides may be silent. */
    public static final long AS_LISTENER = 0;

    /** Makes a policy whose silence the listener bounds. */
    public RoutePolicy(long totalNs, long tryNs) {
        this(totalNs, tryNs, AS_LISTENER);
    }
}
