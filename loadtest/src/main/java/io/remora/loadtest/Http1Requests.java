package io.remora.loadtest;

/** The requests of HTTP/1.1 that a load sends, by their ids. Safe for use by many threads. */
@FunctionalInterface
interface Http1Requests {
    /** Returns the octets of a request. */
    byte[] octets(String id);

    /** Returns the statuses that are no failure of that request. */
    default GoodStatus good(String id) {
        return GoodStatus.SUCCESS;
    }
}
