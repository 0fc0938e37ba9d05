package io.remora.admin;

import java.io.IOException;

/** The asker of a page that takes a while, who may also be sent a response of unknown length. Told once, or streamed to. */
interface LaterReply extends ReloadOutcome {
    /** Returns the address of the client, for the log. */
    String peer();

    /**
     * Begins a response of status 200 whose body is written as it is made. Any thread but the admin thread.
     *
     * @throws IOException if the client is gone
     */
    StreamedAnswer stream(String contentType) throws IOException;
}
