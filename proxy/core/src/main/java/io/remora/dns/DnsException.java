package io.remora.dns;

import java.io.IOException;

/**
 * Failure of a question, with its reason. That a name does not exist is an answer, and no failure. Carries no stack
 * trace.
 */
public final class DnsException extends IOException {
    private static final long serialVersionUID = 1L;

    /** Set where another server may have an answer. */
    final transient boolean isServers;

    DnsException(String message) {
        this(message, true);
    }

    DnsException(String message, boolean isServers) {
        super(message);
        this.isServers = isServers;
    }

    @Override
    public Throwable fillInStackTrace() {
        return this;
    }
}
