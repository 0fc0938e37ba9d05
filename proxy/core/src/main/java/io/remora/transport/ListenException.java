package io.remora.transport;

import java.io.IOException;

/** An address could not be bound; the message names it. */
public final class ListenException extends IOException {
    private static final long serialVersionUID = 1L;

    public ListenException(String message) {
        super(message);
    }
}
