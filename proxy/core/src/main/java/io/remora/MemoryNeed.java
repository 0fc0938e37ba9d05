package io.remora;

import io.remora.config.ListenerConfig;
import io.remora.config.ProxyConfig;
import io.remora.log.Log;

/** What the limits of a configuration may come to, so that nobody learns it from an OutOfMemoryError. */
final class MemoryNeed {
    /** An idle connection's heap, its backend's among it, with room. */
    private static final long CONNECTION_BYTES = 4 * 1_024;

    private static final long EXCHANGE_BYTES = 8 * 1_024;
    /** Classes' own objects, tables and the young generation. */
    private static final long BASE_BYTES = 6 * 1_024 * 1_024;

    private MemoryNeed() {}

    /**
     * Bytes of unfinished heads and pipelined requests that may be held, raw: an eighth of the heap, for as objects
     * they take up to three times as much.
     */
    static long held() {
        return Runtime.getRuntime().maxMemory() / 8;
    }

    static void warnIfAbove(ProxyConfig config, long heapBytes) {
        long needBytes = bytes(config);
        if (needBytes > heapBytes) {
            Log.warn("limits allow for " + mib(needBytes) + " MiB of heap, and the JVM may use " + mib(heapBytes)
                    + ": lower limits.connections or raise -Xmx");
        }
    }

    /** Heap at all limits at once. */
    static long bytes(ProxyConfig config) {
        long bytes = BASE_BYTES;
        for (ListenerConfig listener : config.listeners()) {
            bytes += listener.limits().connections() * CONNECTION_BYTES;
            bytes += listener.limits().inFlightExchanges() * EXCHANGE_BYTES;
        }
        return bytes;
    }

    private static long mib(long bytes) {
        return bytes / (1_024 * 1_024);
    }
}
