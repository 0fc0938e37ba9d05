package io.remora.exchange;

import io.remora.http.Failure;
import io.remora.http.RequestHead;
import io.remora.stream.Target;

/**
 * Decides whether another attempt follows one that came to nothing.
 *
 * <p>Owner: the exchange. Bounds: one re-pick and one repetition a request. Spec: RFC 9110 section 9.2.2: a proxy never
 * repeats a request that is not idempotent, unless it knows that nothing of it was sent.
 */
final class SafeRetry {
    /** The step after a failed attempt. */
    enum Next {
        /** No further attempt: the exchange fails. */
        NONE,
        /** Another endpoint, for the request never left. */
        OTHER_ENDPOINT,
        /** The same endpoint on a new connection, for the one before turned out to be closed. */
        NEW_CONNECTION
    }

    private boolean repicked;
    private boolean repeated;

    /**
     * @param unanswered whether not a byte of a response has come
     * @param body of the request
     */
    Next after(Attempt failed, Failure failure, RequestHead head, boolean unanswered, RequestBody body) {
        Target target = failed.target();
        if (target == null || failed.cluster().repeatsByItself()) {
            return Next.NONE;
        }
        return switch (failure.repeat()) {
            case NEVER -> Next.NONE;
            case UNSENT -> repick(failed, target);
            case UNPROCESSED -> unanswered && !body.hasBegun() ? elsewhere(failed, target) : Next.NONE;
            case UNANSWERED ->
                unanswered && body.isNone() && failed.wasReused() && head.isIdempotent() ? repeat() : Next.NONE;
        };
    }

    private Next elsewhere(Attempt failed, Target target) {
        Next other = repick(failed, target);
        return other == Next.NONE ? repeat() : other;
    }

    private Next repick(Attempt failed, Target target) {
        if (repicked || !failed.cluster().hasOther(target)) {
            return Next.NONE;
        }
        repicked = true;
        return Next.OTHER_ENDPOINT;
    }

    private Next repeat() {
        Next next = repeated ? Next.NONE : Next.NEW_CONNECTION;
        repeated = true;
        return next;
    }
}
