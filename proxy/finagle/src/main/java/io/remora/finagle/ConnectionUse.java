package io.remora.finagle;

import io.remora.metrics.EndpointMetric;
import io.remora.metrics.EndpointStats;

/** The use of a connection, which rests, serves or has served, counted for its endpoint. Owner: the event loop. */
final class ConnectionUse {
    private final EndpointStats counts;
    private boolean resting;
    private boolean serving;
    private boolean served;

    ConnectionUse(EndpointStats counts) {
        this.counts = counts;
    }

    boolean isResting() {
        return resting;
    }

    /** Returns whether it has carried a request before the current one. */
    boolean hasServed() {
        return served;
    }

    /** Begins the wait for a request, whether it has served one or was made for an exchange that has gone. */
    void rests() {
        resting = true;
        counts.increment(EndpointMetric.IDLE);
    }

    private void endRest() {
        if (resting) {
            resting = false;
            counts.decrement(EndpointMetric.IDLE);
        }
    }

    /** Another request comes for it. */
    void servesAgain() {
        served = true;
    }

    /** A request goes over it. */
    void begins() {
        serving = true;
        endRest();
        counts.increment(EndpointMetric.EXCHANGES);
        if (served) {
            counts.increment(EndpointMetric.REUSED);
        }
    }

    /** The response is whole, or nothing more of it comes. */
    void ended() {
        if (serving) {
            serving = false;
            counts.decrement(EndpointMetric.EXCHANGES);
        }
    }

    /** Ends the use for good: the connection is closed. */
    void closed() {
        ended();
        endRest();
    }
}
