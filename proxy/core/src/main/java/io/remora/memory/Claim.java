package io.remora.memory;

import java.util.List;

/**
 * A share of a loop's memory that one connection or exchange holds at the moment of a look.
 *
 * @param client its owner: an identity, an address, or the connection where there is neither
 * @param exchange whether it has the grant of an exchange, in flight or with a response that its client has not taken.
 *     A connection without one holds heap only
 * @param heldBytes of the heap, as {@link LoopBudget#hold} counts them
 * @param sinceNs when it began
 * @param moved octets of content that it has relayed since then
 * @param holder who ends it
 */
public record Claim(Object client, boolean exchange, int heldBytes, long sinceNs, long moved, Holder holder) {
    /** A connection, or a stream of one. Called on its event loop. */
    public interface Holder {
        /** Ends what it holds, as others have less than their share. */
        void yieldMemory();
    }

    /** A source of the claims on each event loop. */
    public interface Source {
        /** Adds the claims on a loop, which is the caller's. */
        void collect(int loop, List<Claim> into);
    }
}
