package io.remora.http2;

import java.util.List;

/**
 * One end of a connection by some codec, as {@link CodecFuzz} compares it with another: octets and commands go in, lines
 * about what was delivered and written come out.
 *
 * <p>Owner: one thread.
 */
interface CodecSide extends AutoCloseable {
    /** Stream states that a peer can tell apart (RFC 9113 section 5.1). */
    enum State {
        IDLE,
        OPEN,
        /** This side has ended, the peer has not. */
        HALF_CLOSED_LOCAL,
        /** The peer has ended, this side has not. */
        HALF_CLOSED_REMOTE,
        CLOSED
    }

    /** Reads octets of the peer as one read. */
    void feed(byte[] octets);

    /** Writes a header section; opens the stream where the side is a client. */
    void head(int stream, boolean ends);

    void write(int stream, int octets, boolean ends);

    void reset(int stream);

    /** Returns whether a connection error has ended it. */
    boolean isOver();

    State state(int stream);

    /** Returns how many octets a stream may send by its own window; for 0, the connection by its own. */
    int window(int stream);

    /** Returns the lines since the last call. */
    List<String> take();

    @Override
    void close();
}
