package io.remora.admin;

/** Who waits for a reload. */
public interface ReloadOutcome {
    /**
     * It has ended. Any thread.
     *
     * @param status as a response has it
     * @param text what has changed, or what is wrong; lines
     */
    void told(int status, String text);
}
