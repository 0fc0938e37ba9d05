package io.remora.probes;

/**
 * The answer to a probe. Immutable.
 *
 * @param status the application's, or 503 where it gave none
 * @param text a piece of the application's body, or the reason
 * @param isFailure whether the application gave none
 */
record ProbeAnswer(int status, String text, boolean isFailure) {
    ProbeAnswer(int status, String text) {
        this(status, text, false);
    }

    static ProbeAnswer failed(String why) {
        return new ProbeAnswer(503, why + '\n', true);
    }
}
