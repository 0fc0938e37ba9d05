package io.remora.exchange;

import io.remora.metrics.Exemplars;
import io.remora.metrics.ListenerMetric;
import io.remora.metrics.ListenerStats;

/**
 * The moments of an exchange, and the time it spent in the proxy: all of it less the waits for the two peers.
 *
 * <p>The time in the proxy has two parts. One is from the request's first readable bytes to its flush to the backend,
 * the wait for a connection included. The other one is from the response's first readable bytes to their flush to the
 * client. Where a head comes in several reads, the waits between them are the client's. Back-offs between attempts, and
 * the wait until it is known where a cluster is, belong to nobody.
 *
 * <p>Owner: the exchange. Bounds: nanoseconds of a monotonic clock; 0 is a moment that has not come.
 */
final class Timing {
    private final long startedNs;
    private long carriedNs;
    private long readyNs;
    private long dispatchedNs;
    private long earlierBackendNs;
    private long responseReadyNs;
    private long respondedNs;
    private long endedNs;

    /**
     * @param startedNs when the request's first bytes were readable
     * @param readyNs when the bytes that completed its head were readable
     * @param carriedNs spent on reads before that one
     */
    Timing(long startedNs, long readyNs, long carriedNs) {
        this.startedNs = startedNs;
        this.readyNs = readyNs;
        this.carriedNs = carriedNs;
    }

    long startedNs() {
        return startedNs;
    }

    boolean isDispatched() {
        return dispatchedNs != 0;
    }

    boolean isResponded() {
        return respondedNs != 0;
    }

    void dispatched(long nowNs) {
        dispatchedNs = nowNs;
    }

    /**
     * Notes a dispatch that failed: the wait was the backend's, and the time after it is the proxy's again.
     *
     * @param learntNs when that was learnt
     */
    void undoDispatch(long learntNs) {
        responseReadyNs = 0;
        if (dispatchedNs == 0) {
            return;
        }
        carriedNs += dispatchedNs - readyNs;
        readyNs = Math.max(dispatchedNs, learntNs);
        earlierBackendNs += readyNs - dispatchedNs;
        dispatchedNs = 0;
    }

    /** Adds time before the next dispatch in which nothing was to be done, and no peer was waited for either. */
    void waited(long ns) {
        readyNs += ns;
    }

    void responseReady(long nowNs) {
        responseReadyNs = nowNs;
    }

    void responded(long nowNs) {
        respondedNs = nowNs;
    }

    void ended(long nowNs) {
        endedNs = nowNs;
    }

    long endedNs() {
        return endedNs;
    }

    long totalNs() {
        return endedNs - startedNs;
    }

    long backendNs() {
        boolean answered = dispatchedNs != 0 && responseReadyNs != 0;
        return earlierBackendNs + (answered ? Math.max(0, responseReadyNs - dispatchedNs) : 0);
    }

    /** Returns the backend's time of an exchange that may still wait at {@code nowNs}. */
    long backendNs(long nowNs) {
        boolean waits = dispatchedNs != 0 && responseReadyNs == 0;
        return waits ? earlierBackendNs + Math.max(0, nowNs - dispatchedNs) : backendNs();
    }

    /** Time from the dispatch to the response's first bytes, -1 where one of them did not happen. */
    long firstByteNs() {
        return dispatchedNs == 0 || responseReadyNs == 0 ? -1 : Math.max(0, responseReadyNs - dispatchedNs);
    }

    long proxyNs() {
        return proxyNs(respondedNs == 0 ? endedNs : respondedNs);
    }

    /** Returns the proxy's time of an exchange whose response leaves at {@code responseNs}. */
    long proxyNs(long responseNs) {
        if (dispatchedNs == 0) {
            return carriedNs + responseNs - readyNs;
        }
        long requestNs = carriedNs + dispatchedNs - readyNs;
        return responseReadyNs == 0 ? requestNs : requestNs + Math.max(0, responseNs - responseReadyNs);
    }

    void recordTo(ListenerStats stats) {
        stats.record(ListenerMetric.PROXY_TIME, proxyNs());
        stats.record(ListenerMetric.TOTAL_TIME, totalNs());
        if (responseReadyNs != 0) {
            stats.record(ListenerMetric.BACKEND_TIME, backendNs());
        }
    }

    /** Keeps this trace as an example of the same durations. */
    void exemplifyTo(ListenerStats stats, long traceHigh, long traceLow) {
        Exemplars exemplars = stats.exemplars();
        long nowMs = System.currentTimeMillis();
        exemplars.keep(ListenerMetric.PROXY_TIME, traceHigh, traceLow, proxyNs(), nowMs);
        exemplars.keep(ListenerMetric.TOTAL_TIME, traceHigh, traceLow, totalNs(), nowMs);
        if (responseReadyNs != 0) {
            exemplars.keep(ListenerMetric.BACKEND_TIME, traceHigh, traceLow, backendNs(), nowMs);
        }
    }
}
