package io.remora.http2;

/**
 * The windows for content that a peer sends, of the connection and of its streams: octets are given back to both of them
 * as they are taken, and once each.
 *
 * <p>Owner: one connection. Spec: RFC 9113 sections 5.2 and 6.9.
 */
final class InputWindows {
    private final WireStreams streams;
    private final FrameWriter writer;
    private final int agreed;
    private final boolean opensAtOnce;
    /** Window for the content that comes on all streams together. */
    private final LocalWindow all = new LocalWindow();
    /** Window of a stream that begins. */
    private int first = Frames.FIRST_WINDOW;
    /** True once the peer has acknowledged the settings of this side, which are sent once. */
    private boolean settled;

    /**
     * @param agreed window of a stream, once the peer has acknowledged it
     * @param opensAtOnce whether the connection's window is opened as octets come
     */
    InputWindows(WireStreams streams, FrameWriter writer, int agreed, boolean opensAtOnce) {
        this.streams = streams;
        this.writer = writer;
        this.agreed = agreed;
        this.opensAtOnce = opensAtOnce;
        all.begin(Frames.FIRST_WINDOW);
    }

    /** Returns the window of a stream that begins. */
    int first() {
        return first;
    }

    /** Sets the window of streams that begin, where the peer knows of it before the first of them. */
    void begin() {
        first = agreed;
    }

    /** The peer has acknowledged settings; false where that answers none, which may not cost a look at every stream. */
    boolean agree() {
        if (settled) {
            return false;
        }
        settled = true;
        int more = agreed - first;
        first = agreed;
        for (int i = 0; more != 0 && i < streams.places(); i++) {
            WireStream stream = streams.at(i);
            if (stream != null) {
                stream.received.shift(more);
            }
        }
        return true;
    }

    /** Counts octets of any stream, or of none; false where the peer must not have sent them. */
    boolean receive(int octets) {
        boolean due = all.receive(octets);
        if (due && opensAtOnce) {
            takeOfConnection(octets);
        }
        return due;
    }

    /** Gives octets that have come back to the connection alone; returns whether that has written a frame. */
    boolean giveBack(int octets) {
        return !opensAtOnce && takeOfConnection(octets);
    }

    /** Counts octets of a stream that have been taken; returns whether that has written a frame. */
    boolean take(int id, int octets) {
        WireStream stream = streams.get(id);
        if (stream == null || octets <= 0) {
            return false;
        }
        stream.received.take(octets);
        boolean opened = giveBack(octets);
        // which may have ended it
        WireStream after = streams.get(id);
        return after != null && open(after) || opened;
    }

    /** Opens the connection's window to that size, where it is larger than before. */
    void widenAll(int octets) {
        if (octets > all.size()) {
            all.resize(octets);
            open(0, all);
        }
    }

    /** Opens the window of a stream to that size from now on. */
    void resize(int id, int octets) {
        WireStream stream = streams.get(id);
        if (stream != null) {
            stream.received.resize(octets);
            open(stream);
        }
    }

    private boolean takeOfConnection(int octets) {
        all.take(octets);
        return open(0, all);
    }

    private boolean open(WireStream stream) {
        return stream.isRemoteOpen() && open(stream.id, stream.received);
    }

    private boolean open(int id, LocalWindow window) {
        int more = window.opening();
        if (more > 0) {
            writer.windowUpdate(id, more);
        }
        return more > 0;
    }
}
