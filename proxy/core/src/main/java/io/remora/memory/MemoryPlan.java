package io.remora.memory;

import org.jspecify.annotations.Nullable;

/**
 * The division of the memory among connections, exchanges and handshakes, made at the start, and again where the limit changes.
 * Immutable.
 *
 * @param limit that it was made for
 * @param usableBytes of the limit, less the margin; 0 without a limit
 * @param poolBytes outside the heap: buffers, and the kernel's memory for sockets
 * @param receiveBytes that a socket may hold unread; 0 leaves it to the kernel
 * @param heldBytes of the heap for heads: unfinished ones, and those of exchanges in flight
 * @param connections of clients that may be open at once
 * @param exchanges that may be in flight at once
 * @param handshakes of clients that may be under way at once
 * @param costs of connections, beyond a plain one's
 */
public record MemoryPlan(
        MemoryLimit limit,
        long usableBytes,
        long poolBytes,
        int receiveBytes,
        long heldBytes,
        int connections,
        int exchanges,
        int handshakes,
        MemoryCosts costs) {
    /** An idle connection's heap, with room. */
    public static final int CONNECTION_HEAP_BYTES = 4 << 10;

    /** An exchange's heap, its connection to the backend among it, with room. */
    public static final int EXCHANGE_HEAP_BYTES = 8 << 10;

    /** An endpoint's heap on one event loop, with its pool and what is counted for it, with room. */
    public static final int ENDPOINT_HEAP_BYTES = 1_152;

    /** Heap at rest: classes' own objects, tables and the young generation. */
    public static final long BASE_HEAP_BYTES = 6 << 20;

    /**
     * Percentage of the limit that is planned; the rest is not counted: page tables, the kernel's own objects, a
     * scrape.
     */
    private static final int USABLE_PERCENT = 94;

    /** A further event loop: its stack, its buffers, its share of every pool. */
    private static final long WORKER_BYTES = 512 << 10;

    private static final int LEAST_RECEIVED = 4 << 10;
    private static final int MOST_RECEIVED = 128 << 10;

    /** The fewest buffers of that size that make up the pool. */
    private static final int RECEIVERS = 2_048;

    /** The fewest connections with which the sidecar serves. */
    private static final int LEAST_CONNECTIONS = 32;

    private static final int LEAST_EXCHANGES = 4;

    /** Divisor of the pool, and of the heap, that gives the share of handshakes under way. */
    private static final int HANDSHAKE_SHARE = 8;

    private static final int LEAST_HANDSHAKES = 4;

    /** The least grant of an exchange. */
    static final int LEAST_GRANT = 4 << 10;

    /** The most that a write queue holds; the rest of a larger grant is the kernel's alone. */
    static final int MOST_QUEUED = 32 << 10;

    /** Two send buffers, for which the kernel charges twice their size; and as many to receive. */
    private static final int SOCKET_BUFFERS = 4;

    /** Two write queues, and for each a read that is under way. */
    private static final int QUEUES = 4;

    /** The plan for a number of event loops, where nothing is protected. */
    public static MemoryPlan of(MemoryLimit limit, int workers) {
        return of(limit, workers, MemoryCosts.NONE);
    }

    /** The plan for a number of event loops; one that cannot be kept has a {@link #problem}. */
    public static MemoryPlan of(MemoryLimit limit, int workers, MemoryCosts costs) {
        long usable = limit.bytes() / 100 * USABLE_PERCENT;
        return of(limit, workers, costs, receiveBytes(limit, poolBytes(limit, usable, workers, costs.baseBytes())));
    }

    /**
     * Does the same for a process that runs.
     *
     * @param receive bytes that its sockets may hold unread, which stay
     */
    public static MemoryPlan of(MemoryLimit limit, int workers, MemoryCosts costs, int receive) {
        long usable = limit.bytes() / 100 * USABLE_PERCENT;
        long pool = poolBytes(limit, usable, workers, costs.baseBytes());
        long heapRoom = heapRoom(limit, costs);
        int handshakes = count(Math.min(
                share(pool, costs.bytesOfHandshake()),
                share(heapRoom, costs.handshake().heapBytes())));
        long atRest = pool - reservedForHandshakes(handshakes, costs);
        long heapAtRest = heapRoom - (long) costs.handshake().heapBytes() * handshakes;
        long exchangeBytes = reserved(LEAST_GRANT, receive) + costs.exchange().bytes();
        long exchanges = Math.min(atRest * 3 / 4 / exchangeBytes, heapAtRest / 4 / exchangeHeapBytes(costs));
        long connections =
                Math.min(atRest / 2 / costs.connectionBytes(), heapAtRest * 7 / 10 / connectionHeapBytes(costs));
        return new MemoryPlan(
                limit, usable, pool, receive, heapAtRest / 8, count(connections), count(exchanges), handshakes, costs);
    }

    /** The plan for another limit of the same process. */
    MemoryPlan under(long bytes, int workers) {
        return of(limit.of(bytes), workers, costs, receiveBytes);
    }

    /** The same division, with the usage judged by another limit. */
    MemoryPlan judgedBy(long bytes) {
        return new MemoryPlan(
                limit.of(bytes),
                bytes / 100 * USABLE_PERCENT,
                poolBytes,
                receiveBytes,
                heldBytes,
                connections,
                exchanges,
                handshakes,
                costs);
    }

    // where no limit has it refused, a heap that is too small for what is held at rest is divided all the same
    private static long heapRoom(MemoryLimit limit, MemoryCosts costs) {
        long room = Math.max(0, limit.heapMaxBytes() - BASE_HEAP_BYTES);
        long least = limit.bytes() == 0 ? room / 4 : 0;
        return Math.max(least, room - costs.baseHeapBytes());
    }

    /**
     * Bytes of the heap that are divided among connections, exchanges, octets that are held for peers, and endpoints.
     */
    public long heapRoomBytes() {
        return heapRoom(limit, costs);
    }

    /** Bytes of the heap that the endpoints of all clusters may take; connections and exchanges have as much less. */
    public long endpointsBytes() {
        return heapRoomBytes() / 2;
    }

    private static int connectionHeapBytes(MemoryCosts costs) {
        return CONNECTION_HEAP_BYTES + costs.connection().heapBytes();
    }

    private static int exchangeHeapBytes(MemoryCosts costs) {
        return EXCHANGE_HEAP_BYTES + costs.exchange().heapBytes();
    }

    /** Heap that the plan has for a client's connection. */
    public int connectionHeapBytes() {
        return connectionHeapBytes(costs);
    }

    /** Heap that the plan has for an exchange. */
    public int exchangeHeapBytes() {
        return exchangeHeapBytes(costs);
    }

    private static int count(long most) {
        return (int) Math.min(most, 1 << 30);
    }

    /** Returns how many handshakes fit into their share; as many as there may be where one costs nothing. */
    private static long share(long bytes, int ofOne) {
        return ofOne == 0 ? Integer.MAX_VALUE : bytes / HANDSHAKE_SHARE / ofOne;
    }

    /** Bytes of the pool that no exchange is granted, so that there is always room for a handshake. */
    long handshakePoolBytes() {
        return reservedForHandshakes(handshakes, costs);
    }

    private static long reservedForHandshakes(int handshakes, MemoryCosts costs) {
        int ofOne = costs.bytesOfHandshake();
        return ofOne == 0 ? 0 : (long) ofOne * handshakes;
    }

    // the window of every connection, for all of its life: the larger the pool, the longer the way that it fills
    private static int receiveBytes(MemoryLimit limit, long poolBytes) {
        if (limit.bytes() == 0) {
            return 0;
        }
        int receive = LEAST_RECEIVED;
        while (receive < MOST_RECEIVED && receive * 2L * RECEIVERS <= poolBytes) {
            receive *= 2;
        }
        return receive;
    }

    // without a limit nothing but the bound on buffers says how much is meant to be taken
    private static long poolBytes(MemoryLimit limit, long usableBytes, int workers, long baseBytes) {
        long byBuffers = 2 * limit.directMaxBytes();
        if (limit.bytes() == 0) {
            return limit.machineBytes() > 0 ? Math.min(byBuffers, limit.machineBytes() / 2) : byBuffers;
        }
        long heapGrowth = limit.heapMaxBytes() - limit.heapStartBytes();
        long left = usableBytes - limit.peakBytes() - heapGrowth - (workers - 1) * WORKER_BYTES - baseBytes;
        return Math.max(0, Math.min(left, byBuffers));
    }

    /** Returns why nothing can be served, in one sentence; null where something can. */
    public @Nullable String problem() {
        if (connections >= LEAST_CONNECTIONS && exchanges >= LEAST_EXCHANGES && handshakes >= LEAST_HANDSHAKES) {
            return null;
        }
        return "memory: " + limit.from() + " allows " + limit.bytes() + " bytes; with " + limit.peakBytes()
                + " for the JVM" + (costs.baseBytes() == 0 ? "" : ", " + costs.baseBytes() + " for TLS")
                + " and a heap of up to "
                + limit.heapMaxBytes()
                + (costs.baseHeapBytes() == 0 ? "" : ", " + costs.baseHeapBytes() + " of it at rest,")
                + " that leaves " + poolBytes + " for buffers and sockets, which is too little";
    }

    /**
     * Returns the most bytes that an exchange with this grant takes, its two sockets included.
     *
     * @param received bytes that a socket may hold unread
     */
    static long reserved(int grant, int received) {
        return SOCKET_BUFFERS * ((long) grant + received)
                + (long) QUEUES * Math.min(grant, MOST_QUEUED)
                + 2 * MemoryCosts.SOCKET_BYTES;
    }

    /** Returns whether handshakes have a cost, and so are counted. */
    public boolean hasHandshakes() {
        return !costs.handshake().isNone();
    }

    /** Describes the limits of the plan, for the log. */
    public String text() {
        String by = limit.bytes() == 0 ? "no limit" : "limit " + limit.bytes() + " bytes from " + limit.from();
        return "memory: " + by + "; " + bounds();
    }

    /** Describes the same without the memory limit. */
    String bounds() {
        return "at most " + connections + " connections and " + exchanges + " exchanges at once, "
                + (hasHandshakes() ? handshakes + " handshakes, " : "")
                + "heap " + limit.heapMaxBytes() + ", buffers and sockets " + poolBytes;
    }
}
