package io.remora.finagle;

import io.remora.http.Failure;
import org.jspecify.annotations.Nullable;

/**
 * A failure at an endpoint, on its way through Finagle's stack. It carries no stack trace, because it says where in
 * HTTP the fault is and not where in the code.
 */
final class EndpointFailure extends Exception {
    private static final long serialVersionUID = 1L;

    private final Failure failure;
    private final transient @Nullable Picked endpoint;

    EndpointFailure(Failure failure) {
        this(failure, null);
    }

    /**
     * @param endpoint null where the caller knows it already
     */
    EndpointFailure(Failure failure, @Nullable Picked endpoint) {
        super(failure.label(), null, false, false);
        this.failure = failure;
        this.endpoint = endpoint;
    }

    @Nullable
    Picked endpoint() {
        return endpoint;
    }

    Failure failure() {
        return failure;
    }
}
