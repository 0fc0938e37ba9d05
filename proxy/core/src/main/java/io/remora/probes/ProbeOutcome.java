package io.remora.probes;

/** The asker of a probe. */
public interface ProbeOutcome {
    /**
     * Receives the outcome, once, on any thread.
     *
     * @param status of the application's response, or 503
     * @param text a piece of the application's body, or the reason
     */
    void told(int status, String text);
}
