package io.remora.memory;

import org.jspecify.annotations.Nullable;

/**
 * Memory that connections cost beyond plain ones of HTTP/1.1, by TLS provider and by protocol. The figures are the
 * worst case of the measured ones, with room. Immutable.
 *
 * @param baseBytes outside the heap, for as long as the process runs: libraries or classes, and what they keep
 * @param baseHeapBytes of the heap, likewise
 * @param client of a client's connection, for its protection
 * @param backend of an exchange's connection to its backend, likewise
 * @param handshake of a client's handshake while it is under way, beyond its connection's
 * @param counted the part that a library counts itself, null for nothing
 * @param spokenByClients of a client's connection, for another version of HTTP
 * @param spoken of an exchange, for another version of HTTP on either side
 */
public record MemoryCosts(
        long baseBytes,
        long baseHeapBytes,
        Cost client,
        Cost backend,
        Cost handshake,
        @Nullable Counted counted,
        Cost spokenByClients,
        Cost spoken) {
    /**
     * Memory that the kernel keeps for a socket in addition to its buffers: the socket, its file, its place in the
     * selector.
     */
    static final int SOCKET_BYTES = 4 << 10;

    /** The costs where nothing is protected, and nothing but HTTP/1.1 spoken. */
    public static final MemoryCosts NONE = new MemoryCosts(0, 0, Cost.NONE, Cost.NONE, Cost.NONE, null);

    /** Creates the costs where nothing but HTTP/1.1 is spoken. */
    public MemoryCosts(
            long baseBytes, long baseHeapBytes, Cost client, Cost backend, Cost handshake, @Nullable Counted counted) {
        this(baseBytes, baseHeapBytes, client, backend, handshake, counted, Cost.NONE, Cost.NONE);
    }

    /** Returns these costs with another version of HTTP, which adds to connections and exchanges. */
    public MemoryCosts speaking(Cost connection, Cost exchange) {
        return new MemoryCosts(
                baseBytes,
                baseHeapBytes,
                client,
                backend,
                handshake,
                counted,
                spokenByClients.and(connection),
                spoken.and(exchange));
    }

    /** Returns all of the cost of a client's connection. */
    public Cost connection() {
        return client.and(spokenByClients);
    }

    /** Bytes of a client's connection at rest, outside the heap. */
    int connectionBytes() {
        return SOCKET_BYTES + connection().bytes;
    }

    /** Bytes of a handshake under way, with its connection's; 0 where there are none. */
    int bytesOfHandshake() {
        int more = handshake.bytes + client.bytes;
        return more == 0 && handshake.heapBytes == 0 ? 0 : SOCKET_BYTES + more;
    }

    /** Returns all of the cost of an exchange. */
    public Cost exchange() {
        return backend.and(spoken);
    }

    /**
     * Returns the costs for a configuration that protects only some connections.
     *
     * @param others connections that nobody counts, and which may all be in their handshakes
     */
    public MemoryCosts of(boolean clients, boolean backends, int others) {
        return new MemoryCosts(
                baseBytes + (long) others * (client.bytes + handshake.bytes),
                baseHeapBytes + (long) others * (client.heapBytes + handshake.heapBytes),
                clients ? client : Cost.NONE,
                backends ? backend : Cost.NONE,
                clients ? handshake : Cost.NONE,
                counted,
                spokenByClients,
                spoken);
    }

    /** Returns these costs with so much more of the heap at rest. */
    public MemoryCosts holding(long heapBytes) {
        return heapBytes == 0
                ? this
                : new MemoryCosts(
                        baseBytes,
                        baseHeapBytes + heapBytes,
                        client,
                        backend,
                        handshake,
                        counted,
                        spokenByClients,
                        spoken);
    }

    /** The cost of one connection, exchange or handshake, in bytes. */
    public record Cost(int bytes, int heapBytes) {
        public static final Cost NONE = new Cost(0, 0);

        Cost and(Cost more) {
            return more.isNone() ? this : new Cost(bytes + more.bytes, heapBytes + more.heapBytes);
        }

        /**
         * Returns whether both are 0. The record's own equals would have the JDK link method handles, in each start of
         * each sidecar.
         */
        public boolean isNone() {
            return bytes == 0 && heapBytes == 0;
        }
    }

    /** Memory outside the heap that a library counts. Thread safe. */
    public interface Counted {
        /** All that it holds now; negative where that is unknown. */
        long bytes();
    }

    /** Returns the counted bytes beyond those at rest, which the plan has, and those reserved for connections. */
    long unplannedBytes(long reservedBytes) {
        long held = counted == null ? -1 : counted.bytes();
        return held < 0 ? 0 : Math.max(0, held - baseBytes - reservedBytes);
    }
}
