package io.remora.loadtest;

/** When the requests of a connection are due: from the first on, one a period, before the end. Times are nanoTime's. */
record Schedule(long firstNs, long periodNs, long endNs) {
    Schedule {
        if (periodNs <= 0) {
            throw new IllegalArgumentException("a rate must be above 0 and at most one a nanosecond");
        }
    }
}
