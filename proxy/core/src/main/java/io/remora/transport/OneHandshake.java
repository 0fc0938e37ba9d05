package io.remora.transport;

/** A client's handshake under way, as the table of its event loop sees it. Owner: its event loop. */
interface OneHandshake {
    long beganNs();

    /** Returns its client: the address that is known so far. */
    Object client();

    void client(Object known);

    /** Identifies its listener, as several share a loop. */
    Object listener();

    /** Returns whether that listener counts it among its handshakes in flight: it has begun, and has not failed. */
    boolean countsFor(Object listener);

    /** Reads what has come and was not read yet, with which its client may have spoken. */
    void readNow();

    /** Returns the octets that it keeps, or would, while it waits. */
    int waitingOctets();

    /** Begins after it has waited for room. */
    void admit();

    /** Ends it at once, and tells so. */
    void cut(Handshake.Cut reason);

    /** Does the same for lack of memory by a reset, for one that has begun no handshake. */
    void cutUnanswered();
}
