package io.remora.metrics;

import org.jspecify.annotations.Nullable;

/**
 * One exchange that failed. Immutable.
 *
 * @param atMs when it ended, since the epoch
 * @param route empty before the exchange had one
 * @param status of the response; 0 for none
 * @param failure the label of the sidecar's own failure; null where the status alone is one
 * @param rule of HTTP that a message broke; null for none
 * @param attempt why the last attempt failed, as far as it is noted; null for none
 * @param totalNs from its first byte to its last
 */
public record WatchedFailure(
        long atMs,
        String listener,
        String route,
        String endpoint,
        String client,
        int status,
        @Nullable String failure,
        @Nullable String rule,
        @Nullable String attempt,
        long totalNs) {}
