package io.remora.tls;

import java.io.IOException;

/** A connection that cannot be protected, or key material that cannot be used. Carries no stack trace. */
public final class TlsException extends IOException {
    private static final long serialVersionUID = 1L;

    private final TlsFailure failure;

    /**
     * @param detail behind the failure's own words, for a log; empty for none
     */
    public TlsException(TlsFailure failure, String detail) {
        super(detail.isEmpty() ? failure.words() : failure.words() + ": " + detail);
        this.failure = failure;
    }

    public TlsFailure failure() {
        return failure;
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
