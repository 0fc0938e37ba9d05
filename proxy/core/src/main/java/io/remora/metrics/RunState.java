package io.remora.metrics;

/**
 * The numbers that the exposition cannot read by itself.
 *
 * @param accessLogDropped -1 where there is no access log
 * @param accessLogSkipped -1 where every exchange has a line
 * @param logDropped -1 where each line waits for standard error
 * @param directUsedBytes -1 where Netty does not count it
 */
public record RunState(
        boolean ready,
        long accessLogDropped,
        long accessLogSkipped,
        long logDropped,
        long directUsedBytes,
        long directMaxBytes,
        MemoryState memory,
        ConfigState config) {}
