package io.remora.http2;

import io.remora.memory.MemoryCosts;
import io.remora.memory.MemoryCosts.Cost;

/**
 * Memory that clients' connections and their exchanges cost beyond those of HTTP/1.1 where a listener speaks HTTP/2.
 * The grants of exchanges cover the octets that their streams have under way.
 */
public final class FrontendCosts {
    /** The objects, and both tables for compression, full: at most 7.4 KiB when it was measured. */
    static final int CONNECTION_HEAP_BYTES = 12 << 10;

    /** The objects of the codec and of the exchange: 0.4 KiB when it was measured. */
    static final int STREAM_HEAP_BYTES = 1 << 10;

    private FrontendCosts() {}

    /**
     * @param before without any of it
     */
    public static MemoryCosts of(MemoryCosts before) {
        return before.speaking(new Cost(0, CONNECTION_HEAP_BYTES), new Cost(0, STREAM_HEAP_BYTES));
    }
}
