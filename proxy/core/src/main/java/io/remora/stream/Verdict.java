package io.remora.stream;

/** What an attempt's end says about its endpoint. */
public enum Verdict {
    SUCCESS("success"),
    /** The endpoint's fault. */
    FAILURE("failure"),
    /** The endpoint's fault, and another attempt may do better. */
    RETRYABLE("failure"),
    /** Another attempt at the same request was faster: all that is known is how long this one took at the least. */
    OVERTAKEN("ignored"),
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
