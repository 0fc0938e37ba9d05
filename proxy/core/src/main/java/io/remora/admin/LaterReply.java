package io.remora.admin;

import java.io.IOException;

/** Receiver of the response of a slow page, either whole or as a stream. */
interface LaterReply extends ReloadOutcome {
    /** Runs a task on the admin thread; never if the admin listener has closed. */
    void execute(Runnable task);

    /** Returns the address of the client, for the log. */
    String peer();

    /**
     * Begins a response of status 200 whose body is written as it is made. Any thread but the admin thread.
     *
     * @throws IOException if the client is gone
     */
    StreamedAnswer stream(String contentType) throws IOException;
}
