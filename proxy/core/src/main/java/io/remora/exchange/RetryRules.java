package io.remora.exchange;

import io.remora.http.Failure;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * The rules by which a policy lets another attempt follow a failed one, and after which wait. Pure functions, but for
 * chance.
 */
final class RetryRules {
    /** The longest back-off, in multiples of the first. */
    private static final int MOST_BACK_OFF = 10;

    private static final int MOST_DOUBLINGS = 8;
    private static final int LEAST_STATUS = 400;

    private RetryRules() {}

    /** Returns the label by which the gate counts an attempt after this failure; null where none follows. */
    static @Nullable String reason(Failure failure) {
        return switch (failure) {
            case TRY_TIMEOUT, RESPONSE_TIMEOUT -> "timeout";
            case BACKEND_CLOSED, STREAM_REFUSED, STREAM_RESET -> "reset";
            default -> failure.repeat() == Failure.Repeat.UNSENT ? "connect" : null;
        };
    }

    static boolean has(@Nullable RetryConfig retries, int status) {
        return retries != null && status >= LEAST_STATUS && retries.statuses().contains(status);
    }

    /**
     * @param retried how often it was, this time included
     */
    static long backOffNs(RetryConfig retries, int retried) {
        long firstNs = retries.backOffNs();
        long mostNs = Math.min(firstNs << Math.min(retried - 1, MOST_DOUBLINGS), firstNs * MOST_BACK_OFF);
        return mostNs <= 0 ? 0 : ThreadLocalRandom.current().nextLong(mostNs);
    }
}
