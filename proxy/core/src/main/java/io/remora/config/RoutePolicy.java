package io.remora.config;

import org.jspecify.annotations.Nullable;

/**
 * How long the requests of a route may take, and how often they are attempted.
 *
 * @param retries null for none
 * @param totalNs for the whole exchange; {@link Limits#UNLIMITED} for no bound
 * @param tryNs for each attempt, up to the head of its response; {@link Limits#UNLIMITED} for no bound
 * @param hedge null where no request has two attempts at once
 */
public record RoutePolicy(
        @Nullable RetryConfig retries,
        long totalNs,
        long tryNs,
        @Nullable HedgeConfig hedge) {
    /** One without hedges. */
    public RoutePolicy(@Nullable RetryConfig retries, long totalNs, long tryNs) {
        this(retries, totalNs, tryNs, null);
    }
}
