package io.remora.admin;

/** The asker of a page that takes a while: a reload or a drain. */
public interface ReloadOutcome {
    /**
     * Receives the outcome of a reload that has ended. Any thread.
     *
     * @param status as a response has it
     * @param text what has changed, or what is wrong; lines
     */
    void told(int status, String text);
}
