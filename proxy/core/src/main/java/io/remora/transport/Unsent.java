package io.remora.transport;

/**
 * A queue of octets that were written for a client and have not left: a connection's, or that of one of its streams.
 *
 * <p>Owner: its connection's event loop.
 */
public interface Unsent {
    /** How many octets have not left yet. */
    long unsent();

    boolean hasUnsent();

    /** How many octets have left, counted from anywhere: only differences while nothing is written mean something. */
    long moved();

    /** A figure that changes whenever octets leave while nothing is written, however few. */
    long sendPosition();

    /**
     * Keeps the queue, and what stands behind it, to its part of a grant.
     *
     * @param sent what the kernel holds of what the client has not read; 0 leaves it as it is
     * @param queued what the queue and its reads hold, where the configuration does not keep them below that
     */
    void bound(int grant, int sent, int queued);
}
