package io.remora.admin;

import io.remora.text.Pieces;

/** The asker of a page that takes a while: a reload, a drain or a recording. */
public interface ReloadOutcome {
    /**
     * Receives the outcome of a reload that has ended. Any thread.
     *
     * @param status as a response has it
     * @param text what has changed, or what is wrong; lines
     */
    void told(int status, String text);

    /**
     * Receives a body that is no text, each character of which is one octet. Any thread.
     *
     * @param octets closed by this method or by the writer of the response
     */
    default void told(Pieces octets) {
        octets.close();
    }
}
