package io.remora.transport;

/** A client's handshake under way, as the table of its event loop sees it. Owner: its event loop. */
interface OneHandshake {
    long beganNs();

    /** Returns its client: the address that is known so far. */
    Object client();

    void client(Object known);

    /** Identifies its listener, as several share a loop. */
    Object listener();

    /** Tells if that listener counts it among its handshakes in flight: it has begun, and has not failed. */
    boolean countsFor(Object listener);

    /** Begins after it has waited for room. */
    void admit();

    /** Ends it at once, and tells so. */
    void cut();
}
