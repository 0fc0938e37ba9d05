package io.remora.exchange;

/**
 * A step that every request of a listener passes, in the order in which {@code io.remora.serving.Stages} lists them.
 *
 * <p>A stage sees the request's head and may change it. It may answer instead of the backend ({@link
 * RequestView#respond}), fail the exchange ({@link RequestView#fail}), or hold it back ({@link RequestView#resume} lets
 * it go on). It may also join it: a {@link Filter} that it hands to {@link RequestView#join} sees the request's content
 * and the response.
 *
 * <p>Owner: one object serves all exchanges of its listener on one event loop; what belongs to one exchange is the
 * filter's.
 */
public abstract class Stage {
    /**
     * A request has come this far.
     *
     * @return whether it goes on to the next stage now; not after it was answered, failed or held back
     */
    public abstract boolean pass(StagedRequest request);

    /** Returns how many lines it adds to a usual head, so that the parser leaves room for them. */
    public int addedLines() {
        return 0;
    }

    /** Returns how many octets the added lines have, each with {@link io.remora.http.Fields#FRAME_OCTETS}. */
    public int addedOctets() {
        return 0;
    }
}
