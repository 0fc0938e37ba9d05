package io.remora.metrics;

/**
 * The process's use of the memory that it may take; -1 is unknown.
 *
 * @param limitBytes 0 without a limit
 * @param usageBytes of the limit, at the last look
 * @param poolBytes for buffers and sockets
 * @param pressure the stage, 0 for none
 * @param changes of the stage
 * @param connections that may be open at once
 * @param exchanges that may be in flight at once
 * @param handshakes that may be under way at once
 * @param openSslBytes that OpenSSL or AWS-LC has allocated
 * @param connectionHeapBytes of the heap that is allowed for a client's connection
 * @param exchangeHeapBytes the same for an exchange
 * @param tracesBytes of the heap that spans and exemplars may take
 * @param limitTooLow 1 where the limit has become too low for the configuration, else 0
 */
public record MemoryState(
        long limitBytes,
        long usageBytes,
        long poolBytes,
        int pressure,
        long changes,
        long connections,
        long exchanges,
        long handshakes,
        long openSslBytes,
        long connectionHeapBytes,
        long exchangeHeapBytes,
        long tracesBytes,
        int limitTooLow) {}
