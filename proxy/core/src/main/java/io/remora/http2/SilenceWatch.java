package io.remora.http2;

/**
 * The time since the peer was last heard, and the next step in its silence: a PING after the bound, and the
 * connection's end where no octet comes within the bound again. Its owner has the deadline, the PING and the end.
 *
 * <p>Owner: one connection, of either side. Spec: RFC 9113 section 6.7.
 */
final class SilenceWatch {
    /** Next step, decided at the deadline. */
    enum Step {
        /** The bound is not reached; {@link #leftNs} says when to look again. */
        WAIT,
        /** A PING is due. */
        PING,
        /** The PING has brought nothing. */
        END
    }

    private final long boundNs;
    private long heardNs;
    /** True once a PING was due since an octet came. */
    private boolean asked;

    SilenceWatch(long boundNs, long nowNs) {
        this.boundNs = boundNs;
        this.heardNs = nowNs;
    }

    /** An octet has come. */
    void heard(long nowNs) {
        heardNs = nowNs;
        asked = false;
    }

    /** Returns when the peer was heard last. */
    long heardNs() {
        return heardNs;
    }

    Step step(long nowNs) {
        if (nowNs - heardNs < boundNs) {
            return Step.WAIT;
        }
        if (asked) {
            return Step.END;
        }
        asked = true;
        return Step.PING;
    }

    /** Returns the time until the bound. */
    long leftNs(long nowNs) {
        return boundNs - (nowNs - heardNs);
    }
}
