package io.remora.exchange;

/**
 * A feature's state for one listener on one event loop, with the work that belongs to no client's connection. It
 * outlives a configuration. An interface, so that the verifier loads no feature for it.
 *
 * <p>Owner: the event loop.
 */
public interface LoopPart {
    /** Returns the same listener's part for other connections. Its owner need not be asked. */
    LoopPart renewed();

    /** Returns whether no work is under way, so that the listener may end. */
    boolean isIdle();

    /** Ends all work: the listener or the sidecar stops. */
    void cut();
}
