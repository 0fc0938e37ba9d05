package io.remora.memory;

/** Plans for tests that need one of a certain size. */
public final class Plans {
    /** Of a process that has no limit, with bounds like a profile's. */
    public static final MemoryLimit NO_LIMIT = new MemoryLimit(0, "", 0, 8 << 20, 64 << 20, 64 << 20, 0);

    private static final int MANY = 1 << 20;

    private Plans() {}

    /** With room for everything but heads, of which it holds so many bytes. */
    public static MemoryWatch holding(long headBytes) {
        return new MemoryWatch(plain(NO_LIMIT, 0, 1L << 40, 0, headBytes, MANY, MANY), 1);
    }

    /** With so much for buffers and sockets, and for so many connections and exchanges. */
    public static MemoryPlan pool(long bytes, int connections, int exchanges) {
        return plain(NO_LIMIT, 0, bytes, 0, 1 << 20, connections, exchanges);
    }

    /** A plan of these figures, in which nothing is protected. */
    public static MemoryPlan plain(
            MemoryLimit limit,
            long usableBytes,
            long poolBytes,
            int receiveBytes,
            long heldBytes,
            int connections,
            int exchanges) {
        return new MemoryPlan(
                limit,
                usableBytes,
                poolBytes,
                receiveBytes,
                heldBytes,
                connections,
                exchanges,
                Integer.MAX_VALUE,
                MemoryCosts.NONE);
    }
}
