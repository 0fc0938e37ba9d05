package io.remora.stream;

import io.remora.http.Failure;
import io.remora.http.GrpcStatus;

/** Verdict of an attempt's end on its endpoint. */
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

    /** Returns the verdict on an attempt whose response's head came: a status of 500 and above is the endpoint's failure. */
    public static Verdict ofStatus(int status) {
        return status >= 500 ? FAILURE : SUCCESS;
    }

    /** Returns the verdict on a call of gRPC that ended with this status; the status of its head was 200. */
    public static Verdict ofGrpc(GrpcStatus status) {
        return status.isEndpoints() ? FAILURE : SUCCESS;
    }

    /** Returns the verdict on an attempt that failed before its response was whole. */
    public static Verdict ofFailure(Failure failure) {
        if (!failure.isBackends()) {
            return IGNORED;
        }
        return failure.repeat() == Failure.Repeat.NEVER ? FAILURE : RETRYABLE;
    }

    /** The value of the metric's label. */
    public String label() {
        return label;
    }
}
