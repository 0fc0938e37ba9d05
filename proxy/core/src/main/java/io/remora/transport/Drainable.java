package io.remora.transport;

import io.remora.memory.Claim;
import java.util.List;

/** A connection, as a drain and a shortage of memory see it. Called on its event loop. */
public interface Drainable {
    /**
     * Ends after a last exchange: the one in progress unless its client has been promised another, or else the one that
     * comes within the listener's time for that. Further calls change nothing.
     */
    void drain();

    /** Ends now, with any exchange in progress. */
    void cut();

    /**
     * Holds as little as it can from now on.
     *
     * @param greedy also where it holds more already, so that it is not read from until that is less
     */
    default void shrink(boolean greedy) {}

    /** Holds what it may again. */
    default void grow() {}

    /**
     * Returns how much it holds for how little it moves: the larger, the sooner it is cut. 0 where it holds nothing,
     * moves well, or does not wait for its client.
     */
    default long evictionScore(long nowNs) {
        return 0;
    }

    /** Returns the bytes that are free once it is cut. */
    default long reclaimableBytes() {
        return 0;
    }

    /** Tells what it holds for its client, and of each of its exchanges what that holds. */
    default void claims(List<Claim> into) {}

    /** Ends now, as there is no memory for it. */
    default void relieve() {
        cut();
    }

    /** The answer of {@link #idleSinceNs} for a connection that has had its last response, and only waits for the peer's end. */
    long LINGERS = Long.MIN_VALUE;

    /** Returns its client, as a {@link Claim} names it. */
    default Object client() {
        return this;
    }

    /** Reads what its client has sent by now, before it ends as an idle one. */
    default AfterRead readBeforeEnd() {
        return AfterRead.RESTS;
    }

    /** Returns the time since which it has carried no exchange, {@link Long#MAX_VALUE} where it carries one. */
    default long idleSinceNs() {
        return Long.MAX_VALUE;
    }

    /** State of an idle connection that has been read. */
    enum AfterRead {
        /** Nothing, or no whole request, has come. */
        RESTS,
        /** A request is in progress, or has had its response. */
        ANSWERS,
        /** The connection has ended by itself. */
        ENDS
    }
}
