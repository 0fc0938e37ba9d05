package io.remora.http2;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import org.jspecify.annotations.Nullable;

/**
 * The output of a connection's streams. Each stream's head, content, trailers and end leave in that order: what cannot
 * be written yet waits with its stream, and what follows waits behind it. The streams whose content may be sent form a
 * ring, in which each gets a frame in turn, as far as the peer's windows and the channel take it.
 *
 * <p>Owner: one connection. Spec: RFC 9113 sections 5.2, 6.5.2, 6.9 and 8.1.
 */
final class WireOutput {
    /** The least part of the channel's room that a stream gets. */
    private static final int LEAST_SHARE = 1 << 10;

    private final WireStreams streams;
    private final FrameWriter writer;
    private final Channel channel;
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

    WireOutput(WireStreams streams, FrameWriter writer, Channel channel, Sink sink) {
        this.streams = streams;
        this.writer = writer;
        this.channel = channel;
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

    // ---- what the peer takes

    /** Takes the peer's settings that bound what is sent; false where they make a window too large. */
    boolean apply(PeerSettings settings) {
        long table = settings.get(Frames.HEADER_TABLE_SIZE);
        if (table != PeerSettings.ABSENT) {
            writer.peerTable(settings.leastTable());
            writer.peerTable(table);
        }
        long frame = settings.get(Frames.MAX_FRAME_SIZE);
        if (frame != PeerSettings.ABSENT) {
            writer.mostFrame((int) frame);
        }
        long first = settings.get(Frames.INITIAL_WINDOW_SIZE);
        return first == PeerSettings.ABSENT || firstWindow((int) first);
    }

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

    /** Sets the window with which streams begin, and changes those that are open by as much; false where that is too much. */
    boolean firstWindow(int octets) {
        int more = octets - firstWindow;
        firstWindow = octets;
        for (int i = 0; more != 0 && i < streams.places(); i++) {
            WireStream stream = streams.at(i);
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

    // ---- what a stream sends

    /**
     * Writes a head or trailers; trailers wait behind the stream's content, without anybody being told.
     *
     * @return the same as {@link StreamCodec#writeSection}
     */
    @Nullable
    ChannelFuture writeSection(int id, SentSection section, boolean ends) {
        writer.makeRoom(section);
        WireStream stream = streams.get(id);
        if (stream == null || !stream.takesMore()) {
            return null;
        }
        if (stream.waiting > 0) {
            if (!ends) {
                throw new IllegalStateException("a head behind content");
            }
            stream.trailers = section;
            return null;
        }
        writeHeaders(id, section, ends);
        if (ends) {
            sink.ended(id);
        }
        if (writer.isWritable()) {
            return null;
        }
        ChannelPromise left = channel.newPromise();
        writer.handOver(left);
        return left;
    }

    // no peer can read on behind a block that is not whole
    private void writeHeaders(int id, SentSection section, boolean ends) {
        try {
            writer.headers(id, section, ends);
        } catch (RuntimeException | Error e) {
            sink.broken(e);
            throw e;
        }
    }

    /** Takes over {@code content} of a stream, and writes it as the windows allow; {@code progress} learns of each octet. */
    void add(int id, ByteBuf content, WireStream.@Nullable Progress progress) {
        WireStream stream = streams.get(id);
        int octets = content.readableBytes();
        if (stream == null || !stream.takesMore() || octets == 0) {
            content.release();
            if (progress != null && octets > 0) {
                progress.dropped(octets);
            }
            return;
        }
        stream.progress = progress;
        stream.keep(content, octets, channel);
        place(stream);
    }

    /** Ends a stream behind what of it waits. */
    void end(int id) {
        writer.makeRoom(Frames.HEADER_OCTETS);
        WireStream stream = streams.get(id);
        if (stream == null || !stream.takesMore()) {
            return;
        }
        if (stream.waiting > 0) {
            stream.ends = true;
        } else {
            // RFC 9113 6.9.1: an empty frame needs no window
            writer.end(id);
            sink.ended(id);
        }
    }

    /** Ends a stream with trailers that overtake what of it waits, which is dropped. */
    void endWith(int id, SentSection trailers) {
        writer.makeRoom(trailers);
        WireStream stream = streams.get(id);
        if (stream != null && stream.isLocalOpen()) {
            drop(stream);
            writeHeaders(id, trailers, true);
            sink.ended(id);
        }
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

    // ---- frames of content

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
        if (ends) {
            sink.ended(id);
        } else if (last) {
            drained(id);
        }
    }

    // its trailers follow; a callback may have ended it, or added to it
    private void drained(int id) {
        WireStream stream = streams.get(id);
        SentSection trailers = stream == null ? null : stream.trailers;
        if (trailers != null) {
            writer.makeRoom(trailers);
            writeTrailers(id);
        }
    }

    private void writeTrailers(int id) {
        WireStream stream = streams.get(id);
        SentSection trailers = stream == null || stream.waiting > 0 ? null : stream.trailers;
        if (stream != null && trailers != null) {
            stream.trailers = null;
            writeHeaders(id, trailers, true);
            sink.ended(id);
        }
    }

    /** Receiver of the end of streams, and of a failure. */
    interface Sink {
        /** Takes the end of this side of a stream, by a frame that has been written. */
        void ended(int stream);

        /** Takes the failure to write a header block, after which the peer's table differs from the writer's. */
        void broken(Throwable cause);
    }
}
