package io.remora.stream;

/** What an attempt's end says about its endpoint. */
public enum Verdict {
    SUCCESS("success"),
    /** The endpoint's fault. */
    FAILURE("failure"),
    /** The endpoint's fault, and another attempt may do better. */
    RETRYABLE("failure"),
    /** Nobody's fault, or the client's: it says nothing about the endpoint. */
    IGNORED("ignored");

    private final String label;

    Verdict(String label) {
        this.label = label;
    }

    /** The value of the metric's label. */
    public String label() {
        return label;
    }
}
