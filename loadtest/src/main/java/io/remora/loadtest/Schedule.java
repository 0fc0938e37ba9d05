package io.remora.loadtest;

/** When the requests of a connection are due: from the first on, one a period, before the end. Times are nanoTime's. */
record Schedule(long firstNs, long periodNs, long endNs) {
    /** Time after the end in which late requests are still sent. */
    private static final long GIVEN_UP_NS = Connection.TIMEOUT_MS * 1_000_000L;

    Schedule {
        if (periodNs <= 0) {
            throw new IllegalArgumentException("a rate must be above 0 and at most one a nanosecond");
        }
    }

    /** Returns whether a request that has not been sent yet is dropped. */
    boolean isGivenUp(long nowNs) {
        return nowNs - endNs > GIVEN_UP_NS;
    }
}
