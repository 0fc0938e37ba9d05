package io.remora.stream;

/** What an attempt's end says about its endpoint. */
public enum Verdict {
    SUCCESS,
    /** The endpoint's fault. */
    FAILURE,
    /** The endpoint's fault, and another attempt may do better. */
    RETRYABLE,
    /** Nobody's fault, or the client's: it says nothing about the endpoint. */
    IGNORED
}
