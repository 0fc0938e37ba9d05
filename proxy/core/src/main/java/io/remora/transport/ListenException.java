package io.remora.transport;

import java.io.IOException;

/** An address could not be bound; the message names it. */
public final class ListenException extends IOException {
    private static final long serialVersionUID = 1L;

    private ListenException(String message) {
        super(message);
    }

    /** Makes one as an exception of any kind, so that who throws it does not load this class. */
    static IOException of(String message) {
        return new ListenException(message);
    }
}
