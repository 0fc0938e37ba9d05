package io.remora.feature.tracing;

/** Trace context of a request. Owner: one event loop, which uses it again for each request. */
final class TraceContext {
    static final int UNDECIDED = -1;
    static final int NO = 0;
    static final int YES = 1;

    /** The trace's id; both zero for none. */
    long high;

    long low;
    /** The span of the caller; 0 for none. */
    long parent;
    /** The one above that, where the form says it; 0 for none. */
    long grandparent;
    /** Decision to record the trace, or {@link #UNDECIDED}. */
    int sampled;

    void clear() {
        high = 0;
        low = 0;
        parent = 0;
        grandparent = 0;
        sampled = UNDECIDED;
    }

    boolean hasId() {
        return (high | low) != 0;
    }
}
