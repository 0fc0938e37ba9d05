package io.remora.json;

import java.io.IOException;

/** A text that is not JSON, or not the JSON that was expected; without a stack trace, since its message says where. */
public final class JsonException extends IOException {
    private static final long serialVersionUID = 1L;

    JsonException(String message) {
        super(message);
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
