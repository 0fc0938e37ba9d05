package io.remora.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.jspecify.annotations.Nullable;

/**
 * The content of streams that waits for windows: a ring of the streams that may send, each of which gets a frame in
 * turn, as far as the windows and the channel take it.
 *
 * <p>Owner: one connection. Cost: small pieces that wait are copied together, so that they do not hold the reads in
 * which they came. Spec: RFC 9113 sections 5.2 and 6.9.
 */
final class OutputRing {
    /** Size of the buffer in which small pieces are gathered. */
    private static final int GATHERED = 8 << 10;
    /** The least part of the channel's room that a stream gets. */
    private static final int LEAST_SHARE = 1 << 10;

    private final FrameWriter writer;
    private final ByteBufAllocator allocator;
    private final Sink sink;

    /** Octets that the peer takes of all streams together. */
    private int window = Frames.FIRST_WINDOW;
    /** Window of a stream that begins. */
    private int firstWindow = Frames.FIRST_WINDOW;

    /** The stream that is next; null where none may send. */
    private @Nullable WireStream ring;

    private int size;
    /** Octets that wait and may be sent by their streams' own windows, of all streams. */
    private int waiting;
    /** True while frames are written, as a stream that ends may bring about more of it. */
    private boolean writing;

    OutputRing(FrameWriter writer, ByteBufAllocator allocator, Sink sink) {
        this.writer = writer;
        this.allocator = allocator;
        this.sink = sink;
    }

    /** Returns the window of a stream that begins. */
    int firstWindow() {
        return firstWindow;
    }

    /** Returns the octets that the peer takes of all streams together. */
    int window() {
        return window;
    }

    /** Returns whether the connection's window has room behind all that waits for nothing else. */
    boolean hasRoom() {
        return window > waiting;
    }

    // ---- windows

    /** Opens the connection's window; false where that is too much. */
    boolean widen(int more) {
        boolean fits = window <= Integer.MAX_VALUE - more;
        window += fits ? more : 0;
        return fits;
    }

    /** Opens the window of a stream; false where that is too much. */
    boolean widen(WireStream stream, int more) {
        long wider = (long) stream.window + more;
        if (wider > Integer.MAX_VALUE) {
            return false;
        }
        stream.window = (int) wider;
        place(stream);
        return true;
    }

    /** Sets the window with which streams begin, and changes those of {@code open} by as much; false where that is too much. */
    boolean firstWindow(int octets, WireStreams open) {
        int more = octets - firstWindow;
        firstWindow = octets;
        for (int i = 0; more != 0 && i < open.places(); i++) {
            WireStream stream = open.at(i);
            if (stream != null && !widen(stream, more)) {
                return false;
            }
        }
        return true;
    }

    // ---- the ring

    private void place(WireStream stream) {
        int due = Math.max(0, Math.min(stream.waiting, stream.window));
        waiting += due - stream.due;
        stream.due = due;
        boolean may = due > 0;
        if (may && stream.next == null) {
            enter(stream);
        } else if (!may && stream.next != null) {
            leave(stream);
        }
    }

    // behind all others
    private void enter(WireStream stream) {
        size++;
        WireStream head = ring;
        if (head == null || head.previous == null) {
            stream.next = stream;
            stream.previous = stream;
            ring = stream;
            return;
        }
        WireStream last = head.previous;
        last.next = stream;
        stream.previous = last;
        stream.next = head;
        head.previous = stream;
    }

    private void leave(WireStream stream) {
        WireStream next = stream.next;
        WireStream previous = stream.previous;
        if (next == null || previous == null) {
            return;
        }
        size--;
        previous.next = next;
        next.previous = previous;
        if (ring == stream) {
            ring = size == 0 ? null : next;
        }
        stream.next = null;
        stream.previous = null;
    }

    // ---- content

    /** Takes over {@code content}, which is not empty, behind what waits already. */
    void add(WireStream stream, ByteBuf content) {
        int octets = content.readableBytes();
        keep(stream, content, octets);
        stream.waiting += octets;
        place(stream);
    }

    private void keep(WireStream stream, ByteBuf content, int octets) {
        boolean kept = false;
        try {
            if (!gathered(stream, content, octets)) {
                stream.add(content);
                stream.gathers = false;
            }
            kept = true;
        } finally {
            if (!kept) {
                content.release();
            }
        }
    }

    private boolean gathered(WireStream stream, ByteBuf content, int octets) {
        ByteBuf before = stream.lastPiece();
        if (before == null
                || octets > FrameWriter.SMALL
                || !stream.gathers && before.readableBytes() > FrameWriter.SMALL) {
            return false;
        }
        if (!stream.gathers) {
            ByteBuf own = allocator.buffer(GATHERED, GATHERED).writeBytes(before);
            before.release();
            stream.replaceLast(own);
            stream.gathers = true;
            before = own;
        }
        if (before.writableBytes() < octets) {
            return false;
        }
        before.writeBytes(content);
        content.release();
        return true;
    }

    /** Drops what waits of a stream. */
    void drop(WireStream stream) {
        WireStream.Progress told = stream.progress;
        int dropped = stream.drop();
        place(stream);
        if (dropped > 0 && told != null) {
            told.dropped(dropped);
        }
    }

    /** Writes frames as far as the windows and the channel take them; they are not flushed. */
    void write() {
        if (writing) {
            return;
        }
        writing = true;
        try {
            WireStream stream = ring;
            while (stream != null && window > 0 && writer.isWritable()) {
                int octets = nextOctets(stream);
                // a receiver that is called as room is made may end streams
                if (writer.makeRoomForData(octets)) {
                    ring = stream.next;
                    write(stream, octets);
                }
                stream = ring;
            }
        } finally {
            writing = false;
        }
    }

    private int nextOctets(WireStream stream) {
        long share = Math.max(LEAST_SHARE, writer.room() / size);
        int most = (int) Math.min(share, Math.min(window, stream.window));
        return Math.min(Math.min(most, writer.mostFrame()), stream.firstPiece().readableBytes());
    }

    private void write(WireStream stream, int octets) {
        ByteBuf piece = stream.firstPiece();
        boolean whole = octets == piece.readableBytes();
        if (whole) {
            stream.removeFirst();
            stream.gathers &= stream.count > 0;
        }
        int id = stream.id;
        stream.waiting -= octets;
        stream.window -= octets;
        window -= octets;
        place(stream);
        boolean last = stream.waiting == 0;
        boolean ends = last && stream.ends;
        // a write may change the channel's state, by which streams may end
        WireStream.Progress told = stream.progress;
        writer.data(id, whole ? piece : piece.readRetainedSlice(octets), ends);
        if (told != null) {
            told.left(octets);
        }
        if (last) {
            sink.drained(id, ends);
        }
    }

    /** Receiver of the end of waiting content. */
    interface Sink {
        /**
         * All content of a stream has been written.
         *
         * @param ended whether its last frame has ended the stream
         */
        void drained(int stream, boolean ended);
    }
}
