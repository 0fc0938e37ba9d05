package io.remora.loadtest;

import java.io.Closeable;
import java.io.IOException;

/** A connection for one request after the other. Owner: one thread. */
interface Requester extends Closeable {
    /**
     * Sends a request that carries the id, as far as the protocol lets a capture find it, waits for the whole answer, and returns its status. An error
     * closes the connection; the next request opens it again.
     */
    int get(String id) throws IOException;

    /** Returns whether a status is no failure of the request that carried the id; 2xx is none. */
    default boolean isGood(String id, int status) {
        return GoodStatus.SUCCESS.has(status);
    }
}
