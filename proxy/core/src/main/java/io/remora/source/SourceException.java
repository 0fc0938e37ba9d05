package io.remora.source;

import java.io.IOException;

/** A question without a usable answer. Without a stack trace: the message says what there is to say. */
final class SourceException extends IOException {
    private static final long serialVersionUID = 1L;

    /** Set where nothing of an answer had come, so that another server, or another connection, may be tried at once. */
    private final boolean unanswered;

    /** Set where the failure is the end of the connection, and not wrong octets on it. */
    private final boolean cut;

    /** Creates the failure of an answer that is unusable or missing. */
    SourceException(String message) {
        super(message);
        this.unanswered = false;
        this.cut = false;
    }

    /** Creates the failure of a connection that ended. */
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
