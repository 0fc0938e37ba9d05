package io.remora.finagle;

import com.twitter.finagle.ChannelException;
import com.twitter.finagle.FailedFastException;
import com.twitter.finagle.NoBrokersAvailableException;
import com.twitter.finagle.RequestTimeoutException;
import com.twitter.finagle.ServiceClosedException;
import com.twitter.finagle.ServiceTimeoutException;
import com.twitter.finagle.TooManyWaitersException;
import io.remora.http.Failure;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Translates Finagle's exceptions to failures of an exchange. */
final class Failures {
    private Failures() {}

    /** Returns the endpoint that the exception names; null where it names none, or the caller knows it. */
    static @Nullable Picked endpoint(Throwable thrown) {
        for (Throwable at = thrown; at != null; at = at.getCause()) {
            if (at instanceof EndpointFailure own) {
                return own.endpoint();
            }
        }
        return null;
    }

    /** Returns the failure for an exception of a user's filter, which may time out as Finagle's do. */
    static Failure ofFilter(Throwable thrown) {
        return thrown instanceof RequestTimeoutException ? Failure.RESPONSE_TIMEOUT : Failure.INTERNAL;
    }

    /** Returns the failure for an exception of Finagle's; {@link Failure#INTERNAL} for an unexpected one. */
    static Failure of(Throwable thrown) {
        boolean channel = false;
        for (Throwable at = thrown; at != null; at = at.getCause()) {
            if (at instanceof EndpointFailure own) {
                return own.failure();
            }
            if (at instanceof RequestDtabs.Refused) {
                return Failure.BAD_DTAB;
            }
            if (at instanceof TooManyWaitersException) {
                return Failure.POOL_EXHAUSTED;
            }
            if (at instanceof NoBrokersAvailableException) {
                return Failure.NO_ENDPOINT;
            }
            if (at instanceof FailedFastException || at instanceof ServiceClosedException) {
                return Failure.CONNECT_FAILED;
            }
            if (at instanceof ServiceTimeoutException) {
                return Failure.CONNECT_TIMEOUT;
            }
            if (at instanceof RequestTimeoutException) {
                return Failure.RESPONSE_TIMEOUT;
            }
            // the reason may stand in its cause
            channel |= at instanceof ChannelException || at instanceof IOException;
        }
        return channel ? Failure.BACKEND_CLOSED : Failure.INTERNAL;
    }
}
