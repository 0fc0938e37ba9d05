package io.remora.http2;

/**
 * The room that an endpoint's windows and the channel have for the content of requests, and the changes in it.
 *
 * <p>Owner: one connection. Cost: requests are looked at only where one of them waits for room, or the connection as a whole
 * has none, or has again.
 */
final class BackendRoom {
    private final WireStreams streams;
    private final WireOutput output;
    private final FrameWriter writer;
    /** True once a stream has asked in vain. */
    private boolean asked;
    /** True where the connection had room at the last look. */
    private boolean had = true;

    BackendRoom(WireStreams streams, WireOutput output, FrameWriter writer) {
        this.streams = streams;
        this.output = output;
        this.writer = writer;
    }

    /** Returns whether there is room for more content of a stream than waits already. */
    boolean isWritable(int number) {
        WireStream stream = streams.get(number);
        boolean writable = stream != null && stream.window > stream.waiting && isOpen();
        asked |= !writable;
        return writable;
    }

    private boolean isOpen() {
        return output.hasRoom() && writer.isWritable();
    }

    /** Reports what has changed since the last look. */
    void look(Http2BackendConnection told) {
        boolean has = isOpen();
        if (asked || has != had) {
            asked = false;
            had = has;
            told.roomChanged();
        }
    }
}
