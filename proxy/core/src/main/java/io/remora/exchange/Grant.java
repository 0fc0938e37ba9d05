package io.remora.exchange;

import io.remora.http.Fields;
import io.remora.http.RequestHead;
import io.remora.memory.LoopBudget;
import io.remora.stream.BackendStream;

/**
 * The memory that an exchange holds of its loop, from admission to end: its buffers on both sides, and its head.
 *
 * <p>Owner: the exchange. Bounds: what its buffers may hold is never more than what it was granted.
 */
public final class Grant {
    /** Bytes for a line, as the objects of HTTP/2's codec hold it while it waits for a window. */
    private static final int LINE_BYTES = 128;

    private final LoopBudget budget;
    private final Frontend frontend;
    private final RequestRelay request;
    private final Outcome outcome;
    /** Bytes reserved for each of its buffers; 0 before admission, and after the end. */
    private int granted;
    /** Bytes that each buffer may hold now. */
    private int bound;

    /** Bytes of the heap that the request's head takes. */
    private int headBytes;
    /** Bytes of sections that the grant has room for, less those of the sections so far. */
    private int spareBytes = LoopBudget.LEAST;
    /** Bytes of the heap that sections take beyond that. */
    private int coveredBytes;

    Grant(LoopBudget budget, Frontend frontend, RequestRelay request, Outcome outcome) {
        this.budget = budget;
        this.frontend = frontend;
        this.request = request;
        this.outcome = outcome;
    }

    /**
     * Asks for as much as there is for an exchange with this {@code head}.
     *
     * @param client whose it is, as claims name it
     * @return whether there is any
     */
    public boolean take(RequestHead head, Object client) {
        headBytes = head.fields.heapBytes();
        granted = budget.grant(headBytes, client);
        if (granted > 0) {
            boundAll(granted);
        }
        return granted > 0;
    }

    /**
     * Holds the memory of a head or trailers while they wait to be sent. Every grant has room for small sections; the
     * rest is held until the exchange has ended and its response has left.
     *
     * @return whether there is room for it
     */
    boolean cover(Fields section) {
        int bytes = section.heapBytes() + section.size() * LINE_BYTES;
        int more = Math.max(0, bytes - spareBytes);
        spareBytes -= bytes - more;
        if (more == 0 || granted == 0) {
            return true;
        }
        coveredBytes += more;
        return budget.hold(more);
    }

    /** Bounds a stream that is ready to the grant. */
    void bound(BackendStream stream) {
        if (bound > 0) {
            stream.bound(bound);
        }
    }

    /** Bounds a second stream to the least grant, as only one of the two is to go on. */
    void boundLeast(BackendStream stream) {
        if (bound > 0) {
            stream.bound(Math.min(bound, LoopBudget.LEAST));
        }
    }

    private void boundAll(int bytes) {
        bound = bytes;
        frontend.bound(bytes);
        BackendStream stream = request.stream();
        if (stream != null) {
            stream.bound(bytes);
        }
    }

    /**
     * Holds the least from now on. A larger grant goes back where it has not been made use of.
     *
     * @param greedy whether to do so where it has
     */
    public void shrink(boolean greedy) {
        if (granted == 0) {
            return;
        }
        boolean unused = moved() <= LoopBudget.LEAST;
        if (bound > LoopBudget.LEAST && (unused || greedy)) {
            boundAll(LoopBudget.LEAST);
        }
        if (granted > LoopBudget.LEAST && unused) {
            budget.shrink(granted);
            granted = LoopBudget.LEAST;
        }
    }

    /** Holds again what may be held now that there is room. */
    public void grow() {
        if (granted > 0) {
            granted = budget.regrant(granted);
            if (granted > bound) {
                boundAll(granted);
            }
        }
    }

    /** Returns the bytes that the buffers may come to. */
    public long reservedBytes() {
        return granted == 0 ? 0 : budget.reserved(granted);
    }

    /** Bytes of the heap that are held for it. */
    int heldBytes() {
        return headBytes + coveredBytes;
    }

    /** Bytes of content that the exchange has relayed so far, in both directions. */
    public long moved() {
        return request.bytes() + outcome.responseBytes();
    }

    /**
     * Ends the grant with its exchange. Content that the frontend still has to send keeps the grant and the sections,
     * but not the request's head.
     */
    void giveBack() {
        int before = granted;
        granted = 0;
        if (before > 0) {
            if (frontend.keeps(before, coveredBytes)) {
                budget.hold(-headBytes);
            } else {
                budget.giveBack(before, headBytes + coveredBytes);
            }
        }
    }
}
