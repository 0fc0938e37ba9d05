package io.remora.finagle;

import io.remora.http.Failure;

/**
 * What went wrong at an endpoint, on its way through Finagle's stack. It carries no stack trace, since it says where in HTTP the
 * fault is and not where in the code.
 */
final class EndpointFailure extends Exception {
    private static final long serialVersionUID = 1L;

    private final Failure failure;

    EndpointFailure(Failure failure) {
        super(failure.label(), null, false, false);
        this.failure = failure;
    }

    Failure failure() {
        return failure;
    }
}
