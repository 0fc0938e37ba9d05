package io.remora.tls;

import java.io.IOException;

/** A connection that cannot be protected, or a configuration that cannot be used. Carries no stack trace. */
public final class TlsException extends IOException {
    private static final long serialVersionUID = 1L;

    private final TlsFailure failure;
    private final String detail;
    private final String key;

    /**
     * @param detail behind the failure's own words, for a log; empty for none
     */
    public TlsException(TlsFailure failure, String detail) {
        this(failure, detail.isEmpty() ? failure.words() : failure.words() + ": " + detail, detail, "");
    }

    private TlsException(TlsFailure failure, String message, String detail, String key) {
        super(message);
        this.failure = failure;
        this.detail = detail;
        this.key = key;
    }

    /**
     * Returns the exception for a configuration that cannot be used.
     *
     * @param key in whose value the fault is, such as {@code ciphers}; empty for none alone
     */
    public static TlsException unusable(String key, String problem) {
        return new TlsException(TlsFailure.INTERNAL, problem, problem, key);
    }

    /** Returns {@code cause} if it is one, else the exception for a fault of this side. */
    static TlsException of(Throwable cause) {
        return cause instanceof TlsException own ? own : new TlsException(TlsFailure.INTERNAL, cause.toString());
    }

    public TlsFailure failure() {
        return failure;
    }

    /** Returns the message for a configuration, whose reader knows that it is about TLS. */
    String problem() {
        return detail.isEmpty() ? failure.words() : detail;
    }

    /** Returns the configuration's key whose value has the fault; empty where that is not known. */
    String key() {
        return key;
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
