package io.remora.transport;

/** A connection, as a drain sees it. Called on its event loop. */
public interface Drainable {
    /** No further request: ends now where it is idle, otherwise after the exchange in progress. */
    void drain();

    /** Ends now, whatever is in progress. */
    void cut();
}
