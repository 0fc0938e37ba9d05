package io.remora.transport;

/** Reason for which a connection could not be made ready. */
public enum ConnectFailure {
    REFUSED,
    TIMEOUT,
    /** The process has no descriptor left. */
    OUT_OF_DESCRIPTORS,
    /** The peer was reached, and the handshake came to nothing. */
    HANDSHAKE
}
