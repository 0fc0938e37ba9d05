package io.remora.source;

import java.io.IOException;

/** A question without a usable answer. Without a stack trace: the message says what there is to say. */
final class SourceException extends IOException {
    private static final long serialVersionUID = 1L;

    /** Whether nothing of an answer had come, so that another server, or another connection, may be asked at once. */
    private final boolean unanswered;

    /** Whether the connection ended, and not what came on it was wrong. */
    private final boolean cut;

    /** What came cannot be used, or nothing came. */
    SourceException(String message) {
        super(message);
        this.unanswered = false;
        this.cut = false;
    }

    /** The connection ended. */
    SourceException(String message, boolean unanswered) {
        super(message);
        this.unanswered = unanswered;
        this.cut = true;
    }

    boolean isCut() {
        return cut;
    }

    boolean isUnanswered() {
        return unanswered;
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
