package io.remora.tls;

import java.io.IOException;

/** Reports why a file with a certificate or a key cannot be used. Carries no stack trace. */
public final class MaterialException extends IOException {
    private static final long serialVersionUID = 1L;

    MaterialException(String message) {
        super(message);
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
