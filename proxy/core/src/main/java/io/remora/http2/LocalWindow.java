package io.remora.http2;

/**
 * The window for content that a peer sends, of a stream or of the connection. It is opened again once half of it has been taken.
 *
 * <p>Owner: one connection. Spec: RFC 9113 sections 5.2, 6.9.1 and 6.9.2.
 */
final class LocalWindow {
    /** Octets to which it is opened. */
    private int size;
    /** Octets that the peer may still send; less than zero where a setting has made it smaller. */
    private int left;
    /** Octets that have come, and have not been taken. */
    private int untaken;

    void begin(int octets) {
        size = octets;
        left = octets;
        untaken = 0;
    }

    int size() {
        return size;
    }

    /** Has it opened to that size from the next {@link #opening} on. */
    void resize(int octets) {
        size = octets;
    }

    /** Changes it as a setting does, which the peer has followed by now. */
    void shift(int octets) {
        size += octets;
        left += octets;
    }

    /** Counts octets that have come; false where the peer must not have sent them. */
    boolean receive(int octets) {
        if (octets > 0 && octets > left) {
            return false;
        }
        left -= octets;
        untaken += octets;
        return true;
    }

    /** Returns the octets that have come and have not been taken. */
    int untaken() {
        return untaken;
    }

    /** Counts octets that have been taken, no more than have come. */
    void take(int octets) {
        untaken -= octets;
    }

    /** Opens it where that is due; returns by how much, 0 for nothing. */
    int opening() {
        int open = left + untaken;
        if (size <= 0 || open > size / 2) {
            return 0;
        }
        int more = size - open;
        left += more;
        return more;
    }
}
