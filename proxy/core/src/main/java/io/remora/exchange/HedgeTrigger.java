package io.remora.exchange;

/**
 * The time after which an attempt counts as slow, so that an exchange makes a second one. The exchange reports how long each first endpoint was waited
 * for. An interface, as the feature that decides stands above this package.
 *
 * <p>Owner: the event loop.
 */
public interface HedgeTrigger {
    /** Delay while too little is known: no attempt is slow. */
    long NEVER = Long.MAX_VALUE;

    /** Returns how long an attempt may take before it is slow, or {@link #NEVER}. */
    long delayNs();

    /** Learns that a request has waited for so long for its first endpoint. */
    void learn(long waitedNs);
}
