package io.remora.stream;

/** An endpoint as an attempt sees it, which learns how the attempt ended. Owner: the exchange's event loop. */
public interface Target {
    /** {@code host:port}, as logs and metrics show it. */
    String name();

    /** Tells if the endpoint is in use: neither its failures nor its checks have taken it out. */
    default boolean isInUse() {
        return true;
    }

    /**
     * The final response's head has come, or a switch of protocols; {@link #ended} follows, which may be hours later.
     *
     * @param verdict what that says, {@link Verdict#IGNORED} where only the end says anything
     */
    default void answered(Verdict verdict) {}

    /**
     * An attempt at this endpoint is over; called once for each attempt, at the endpoint that was {@link StreamClient#picked} last.
     *
     * @param latencyNs from the request's dispatch to the response's first bytes, -1 where one of them did not happen; what was
     *     overtaken has been waited for so long
     */
    void ended(Verdict verdict, long latencyNs);
}
