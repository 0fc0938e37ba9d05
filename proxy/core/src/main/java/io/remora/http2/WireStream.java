package io.remora.http2;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;

/**
 * One stream as the codec knows it: its state, its windows, and the content that waits for them. It is used again for
 * another stream once it is closed, so that nobody keeps it: after a call that may close streams it is looked up again.
 *
 * <p>Owner: one connection, whose {@link WireStreams} has it. Cost: small pieces that wait are copied together, so that
 * they do not hold the reads in which they came. Spec: RFC 9113 section 5.1.
 */
final class WireStream {
    /** State of a stream that has begun. */
    enum State {
        OPEN,
        HALF_CLOSED_LOCAL,
        HALF_CLOSED_REMOTE,
        CLOSED
    }

    private static final int USUAL_PIECES = 2;
    /** Size of the buffer in which small pieces are gathered. */
    private static final int GATHERED = 8 << 10;

    int id;
    State state = State.CLOSED;
    /** Window for the content that the peer sends. */
    final LocalWindow received = new LocalWindow();
    /** Octets that the peer takes of it; less than zero where a setting has made it smaller. */
    int window;

    /** Content that waits, from {@link #first} on. */
    @Nullable
    ByteBuf[] pieces = new ByteBuf[USUAL_PIECES];

    int first;
    int count;
    /** Octets of all pieces. */
    int waiting;
    /** Waiting octets that the window of the stream takes. */
    int due;
    /** True where the last piece is a buffer of its own, in which small ones are gathered. */
    boolean gathers;
    /** True where it ends behind the content, without trailers. */
    boolean ends;
    /** Trailers that wait behind the content; null for none. */
    @Nullable
    SentSection trailers;
    /** Receiver of the content's fate; null for none. */
    @Nullable
    Progress progress;

    /** Neighbours in the ring of streams that may send; null outside of it. */
    @Nullable
    WireStream next;

    @Nullable
    WireStream previous;

    void begin(int number, State begun, int localWindow, int remoteWindow) {
        id = number;
        state = begun;
        received.begin(localWindow);
        window = remoteWindow;
    }

    /** Returns whether this side may still send. */
    boolean isLocalOpen() {
        return state == State.OPEN || state == State.HALF_CLOSED_REMOTE;
    }

    /** Returns whether this side may still send, and no end of it waits. */
    boolean takesMore() {
        return isLocalOpen() && !ends && trailers == null;
    }

    /** Returns whether the peer may still send. */
    boolean isRemoteOpen() {
        return state == State.OPEN || state == State.HALF_CLOSED_LOCAL;
    }

    /** Ends this side of it; returns whether the peer's has ended before. */
    boolean endLocal() {
        if (state == State.OPEN) {
            state = State.HALF_CLOSED_LOCAL;
            return false;
        }
        return state == State.HALF_CLOSED_REMOTE;
    }

    /** Ends the peer's side of it; returns whether this one has ended before. */
    boolean endRemote() {
        if (state == State.OPEN) {
            state = State.HALF_CLOSED_REMOTE;
            return false;
        }
        return state == State.HALF_CLOSED_LOCAL;
    }

    // ---- pieces of content

    ByteBuf firstPiece() {
        ByteBuf piece = pieces[first];
        if (piece == null) {
            throw new IllegalStateException("no content");
        }
        return piece;
    }

    /** Takes over {@code content}, which is not empty, behind what waits already. */
    void keep(ByteBuf content, int octets, Channel channel) {
        boolean kept = false;
        try {
            if (!isGathered(content, octets, channel)) {
                add(content);
                gathers = false;
            }
            kept = true;
        } finally {
            if (!kept) {
                content.release();
            }
        }
        waiting += octets;
    }

    private boolean isGathered(ByteBuf content, int octets, Channel channel) {
        ByteBuf before = count == 0 ? null : pieces[first + count - 1];
        if (before == null || octets > FrameWriter.SMALL || !gathers && before.readableBytes() > FrameWriter.SMALL) {
            return false;
        }
        if (!gathers) {
            ByteBuf own = channel.alloc().buffer(GATHERED, GATHERED).writeBytes(before);
            before.release();
            pieces[first + count - 1] = own;
            gathers = true;
            before = own;
        }
        if (before.writableBytes() < octets) {
            return false;
        }
        before.writeBytes(content);
        content.release();
        return true;
    }

    private void add(ByteBuf piece) {
        if (first + count == pieces.length) {
            @Nullable ByteBuf[] to = count < pieces.length / 2 ? pieces : new ByteBuf[pieces.length * 2];
            System.arraycopy(pieces, first, to, 0, count);
            if (to == pieces) {
                for (int i = Math.max(count, first); i < first + count; i++) {
                    pieces[i] = null;
                }
            }
            pieces = to;
            first = 0;
        }
        pieces[first + count++] = piece;
    }

    /** Takes the first piece out, which is the caller's. */
    void removeFirst() {
        pieces[first++] = null;
        if (--count == 0) {
            first = 0;
        }
    }

    /** Drops what waits; returns its octets. */
    int drop() {
        int dropped = waiting;
        while (count > 0) {
            firstPiece().release();
            removeFirst();
        }
        waiting = 0;
        gathers = false;
        ends = false;
        trailers = null;
        return dropped;
    }

    /** Forgets the stream, so that another may use this object. */
    void clear() {
        progress = null;
        if (pieces.length > USUAL_PIECES) {
            pieces = new ByteBuf[USUAL_PIECES];
        }
    }

    /** Receiver of the fate of a stream's content. */
    interface Progress {
        /** Counts octets that the channel has taken. */
        void left(int octets);

        /** Counts octets that are dropped. */
        void dropped(int octets);
    }
}
