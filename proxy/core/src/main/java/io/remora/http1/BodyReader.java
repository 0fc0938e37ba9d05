package io.remora.http1;

import io.netty.buffer.ByteBuf;
import io.remora.http.BodyLength;
import io.remora.http.Failure;
import io.remora.http.Fields;
import io.remora.http.Rule;
import org.jspecify.annotations.Nullable;

/**
 * Separates the content of messages from the framing around it, one after the other, and finds where each body ends.
 * Content is handed out in the buffers in which it came.
 *
 * <p>Owner: one connection.
 *
 * <p>Spec: RFC 9112 sections 6.3 and 7.1.
 */
public final class BodyReader {
    private enum State {
        ENDED,
        /** A count of octets is still to come. */
        COUNTED,
        UNTIL_CLOSE,
        /** Lines around and between chunks. */
        CHUNK_LINE,
        CHUNK,
        TRAILERS
    }

    /**
     * Octets of a dropped body that are read past, so that its connection serves again: where all endpoints answer 500,
     * each retry would cost a connection, and with TLS a handshake. Only octets that have come count: a wait for more
     * would hold a place in the pool that the next attempt may need, and memory that nobody has reserved.
     */
    private static final int MAX_DROPPED = 16 << 10;

    private final SectionRules rules;
    private State state = State.ENDED;
    /** Octets left of the body, or of the chunk. */
    private long left;

    private int headOctets;
    /** Octets that are still read past of a body that is dropped. */
    private int droppedLeft;

    private @Nullable ChunkLine line;
    private @Nullable TrailerParser trailerParser;
    private @Nullable Failure failure;
    private @Nullable Rule broken;

    /**
     * @param rules of chunk lines and trailers
     */
    public BodyReader(SectionRules rules) {
        this.rules = rules;
    }

    /**
     * A head is whole, and its body comes next.
     *
     * @param length of the body, or {@link BodyLength#UNKNOWN}
     * @param chunked whether a body of unknown length is chunked; only the connection's end ends it otherwise
     * @param blockOctets of the head's field lines, against which the trailers count as well
     */
    public void begin(long length, boolean chunked, int blockOctets) {
        trailerParser = null;
        failure = null;
        broken = null;
        left = length;
        headOctets = blockOctets;
        droppedLeft = MAX_DROPPED;
        if (length == BodyLength.NONE) {
            state = State.ENDED;
        } else if (length > 0) {
            state = State.COUNTED;
        } else if (chunked) {
            state = State.CHUNK_LINE;
            line = new ChunkLine(rules.lineOctets(), rules.straySpaces());
        } else {
            state = State.UNTIL_CLOSE;
        }
    }

    /** Returns whether the body is whole; octets after it are no part of the message. */
    public boolean isEnded() {
        return state == State.ENDED;
    }

    /** Returns whether only the connection's end ends the body. */
    boolean isUntilClose() {
        return state == State.UNTIL_CLOSE;
    }

    /** Bytes of the heap that trailers take while they are not whole. */
    int heldBytes() {
        TrailerParser parser = trailerParser;
        return state == State.TRAILERS && parser != null ? parser.heldBytes() : 0;
    }

    /** Drops what has come of trailers; nothing more of the body is read. */
    void abandon() {
        trailerParser = null;
        line = null;
        state = State.ENDED;
    }

    /** Failure of the framing, null for none. */
    public @Nullable Failure failure() {
        return failure;
    }

    /** The rule that the framing breaks, null for none. */
    public @Nullable Rule rule() {
        return broken;
    }

    /** Hands over the trailers of the body that is whole, once; null for none. */
    public @Nullable Fields takeTrailers() {
        TrailerParser parser = trailerParser;
        trailerParser = null;
        return state != State.ENDED || parser == null || parser.fields().isEmpty() ? null : parser.fields();
    }

    /** Ends the input, as the connection has ended; returns whether that is a proper end of the body. */
    public boolean endOfInput() {
        if (state == State.UNTIL_CLOSE) {
            state = State.ENDED;
        }
        return state == State.ENDED;
    }

    /**
     * Takes the next piece of content out of {@code in}, and the framing before it.
     *
     * @return a slice that the caller has to release; {@code in} itself, untouched, where all of it is content; null
     *     where it has no more content of this body, which may have ended or failed
     */
    public @Nullable ByteBuf read(ByteBuf in) {
        while (failure == null && state != State.ENDED && in.isReadable()) {
            if (state == State.CHUNK_LINE) {
                readLine(in);
            } else if (state == State.TRAILERS) {
                readTrailers(in);
            } else {
                return content(in);
            }
        }
        return null;
    }

    /** Reads past what {@code in} has of a body that nobody wants; returns whether it may go on. */
    @SuppressWarnings("ReferenceEquality") // the same buffer, not one with the same octets
    boolean readPast(ByteBuf in) {
        while (in.isReadable() && state != State.ENDED) {
            int before = in.readableBytes();
            ByteBuf content = read(in);
            if (content == in) {
                in.skipBytes(before);
            } else if (content != null) {
                content.release();
            }
            droppedLeft -= before - in.readableBytes();
            if (failure != null || droppedLeft < 0) {
                return false;
            }
        }
        return true;
    }

    private ByteBuf content(ByteBuf in) {
        int count = in.readableBytes();
        if (state != State.UNTIL_CLOSE) {
            boolean all = count >= left;
            count = all ? (int) left : count;
            left -= count;
            if (all) {
                state = state == State.CHUNK ? State.CHUNK_LINE : State.ENDED;
            }
        }
        return count == in.readableBytes() ? in : in.readRetainedSlice(count);
    }

    private void readLine(ByteBuf in) {
        ChunkLine current = line;
        if (current == null) {
            throw new IllegalStateException("not in a chunked body");
        }
        Progress progress = current.read(in);
        if (progress == Progress.REFUSED) {
            failure = rules.bad();
            broken = current.rule();
        } else if (progress == Progress.DONE) {
            left = current.size();
            state = left > 0 ? State.CHUNK : current.hasTrailers() ? State.TRAILERS : State.ENDED;
            line = left > 0 ? current : null;
        }
    }

    private void readTrailers(ByteBuf in) {
        TrailerParser parser = trailerParser;
        if (parser == null) {
            parser = new TrailerParser(rules, headOctets);
            trailerParser = parser;
        }
        Progress progress = parser.parse(in);
        if (progress == Progress.REFUSED) {
            failure = parser.failure();
            broken = parser.rule();
            trailerParser = null;
        } else if (progress == Progress.DONE) {
            state = State.ENDED;
        }
    }
}
