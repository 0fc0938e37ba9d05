package io.remora.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.remora.http.Octets;
import org.jspecify.annotations.Nullable;

/**
 * Parses frames where they stand in the read buffer, and judges their form: sizes, padding, and the numbers of streams
 * as far as no state is needed. It joins the frames of a header block, which {@link Events} gets whole.
 *
 * <p>Owner: one connection. Cost: no object for a frame; a frame that comes in pieces is copied once. Bounds: one frame,
 * and the octets of one header block. Spec: RFC 9113 sections 3.4, 4 and 6.
 */
final class FrameReader {
    private static final byte[] PREFACE = Octets.of("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").array;
    private static final int PRIORITY_OCTETS = 5;
    private static final int SETTING_OCTETS = 6;
    private static final int LEAST_HELD = 256;

    private final ByteBufAllocator allocator;
    private final Events events;
    /** Most octets of one header block. */
    private final int mostBlock;

    private int mostFrame = Frames.LEAST_FRAME;
    /** Octets of the client's preface that have come; all of them from the beginning where the peer is no client. */
    private int preface;
    /** True once a frame has come, which is SETTINGS. */
    private boolean begun;
    /** Octets of a frame that is not whole. */
    private @Nullable ByteBuf rest;

    /** The stream of a header block that is not whole, 0 for none. */
    private int blockStream;

    private boolean blockEnds;
    /** The error by which its stream is to be reset once it is whole; {@link ErrorCode#NO_ERROR} for none. */
    private ErrorCode blockFault = ErrorCode.NO_ERROR;

    private @Nullable ByteBuf block;

    /**
     * @param ofClient whether the peer is a client, whose octets begin with the preface
     * @param mostBlock octets of a header block, beyond which the connection ends
     */
    FrameReader(ByteBufAllocator allocator, boolean ofClient, int mostBlock, Events events) {
        this.allocator = allocator;
        this.events = events;
        this.mostBlock = mostBlock;
        this.preface = ofClient ? 0 : PREFACE.length;
    }

    /** Takes frames of that size from now on. */
    void mostFrame(int octets) {
        mostFrame = octets;
    }

    /** Takes over {@code bytes}, whole frames or not, and reports the frames that are whole by now. */
    void read(ByteBuf bytes) {
        try {
            passPreface(bytes);
            while (rest != null && bytes.isReadable() && !events.isOver()) {
                complete(rest, bytes);
            }
            while (!events.isOver() && passFrame(bytes)) {
                // each frame may be the last
            }
            if (bytes.isReadable() && !events.isOver()) {
                rest = allocator
                        .heapBuffer(Math.max(LEAST_HELD, bytes.readableBytes()))
                        .writeBytes(bytes);
            }
        } finally {
            bytes.release();
        }
    }

    private void passPreface(ByteBuf bytes) {
        while (preface < PREFACE.length && bytes.isReadable() && !events.isOver()) {
            if (bytes.readByte() != PREFACE[preface++]) {
                events.connectionFault(ErrorCode.PROTOCOL_ERROR);
            }
        }
    }

    private void complete(ByteBuf part, ByteBuf bytes) {
        if (part.readableBytes() < Frames.HEADER_OCTETS) {
            part.writeBytes(bytes, Math.min(Frames.HEADER_OCTETS - part.readableBytes(), bytes.readableBytes()));
        }
        if (part.readableBytes() < Frames.HEADER_OCTETS) {
            return;
        }
        int length = part.getUnsignedMedium(part.readerIndex());
        if (length <= mostFrame) {
            int missing = Frames.HEADER_OCTETS + length - part.readableBytes();
            part.writeBytes(bytes, Math.min(missing, bytes.readableBytes()));
        }
        rest = null;
        boolean done = true;
        try {
            // which may close this reader
            done = passFrame(part) || events.isOver();
        } finally {
            if (done) {
                part.release();
            } else {
                rest = part;
            }
        }
    }

    // false where it is not whole
    private boolean passFrame(ByteBuf in) {
        int octets = in.readableBytes();
        if (octets < Frames.HEADER_OCTETS) {
            return false;
        }
        int at = in.readerIndex();
        int length = in.getUnsignedMedium(at);
        if (length > mostFrame) {
            // RFC 9113 3.4: who does not begin by settings speaks something else
            boolean isPeers = begun || isSettings(in.getUnsignedByte(at + 3), in.getUnsignedByte(at + 4));
            events.connectionFault(isPeers ? ErrorCode.FRAME_SIZE_ERROR : ErrorCode.PROTOCOL_ERROR);
            return false;
        }
        if (octets - Frames.HEADER_OCTETS < length) {
            return false;
        }
        in.skipBytes(Frames.HEADER_OCTETS + length);
        frame(in, at, length);
        return true;
    }

    private void frame(ByteBuf in, int at, int length) {
        int type = in.getUnsignedByte(at + 3);
        int flags = in.getUnsignedByte(at + 4);
        int stream = in.getInt(at + 5) & Integer.MAX_VALUE;
        boolean isFirst = !begun;
        begun = true;
        boolean outOfTurn = isFirst && !isSettings(type, flags)
                || blockStream != 0 && (type != Frames.CONTINUATION || stream != blockStream);
        if (outOfTurn) {
            events.connectionFault(ErrorCode.PROTOCOL_ERROR);
            return;
        }
        boolean admitted = events.admits(type, flags, stream, length);
        if (events.isOver()) {
            return;
        }
        int from = at + Frames.HEADER_OCTETS;
        switch (type) {
            case Frames.DATA -> data(in, from, length, flags, stream);
            case Frames.HEADERS -> headers(in, from, length, flags, stream);
            case Frames.CONTINUATION -> continuation(in, from, length, flags);
            default -> {
                if (admitted) {
                    control(in, from, length, type, flags, stream);
                }
            }
        }
    }

    private static boolean isSettings(int type, int flags) {
        return type == Frames.SETTINGS && (flags & Frames.ACK) == 0;
    }

    private void control(ByteBuf in, int from, int length, int type, int flags, int stream) {
        switch (type) {
            case Frames.PRIORITY -> priority(in, from, length, stream);
            case Frames.RST_STREAM -> {
                if (isWellFormed(stream != 0, length == 4)) {
                    events.resetRead(stream, in.getUnsignedInt(from));
                }
            }
            case Frames.SETTINGS -> settings(in, from, length, flags, stream);
            // a client cannot, and an endpoint has been told not to
            case Frames.PUSH_PROMISE -> events.connectionFault(ErrorCode.PROTOCOL_ERROR);
            case Frames.PING -> {
                if (isWellFormed(stream == 0, length == 8)) {
                    events.ping(in.getLong(from), (flags & Frames.ACK) != 0);
                }
            }
            case Frames.GOAWAY -> {
                if (isWellFormed(stream == 0, length >= 8)) {
                    events.goAwayRead(in.getInt(from) & Integer.MAX_VALUE, in.getUnsignedInt(from + 4));
                }
            }
            case Frames.WINDOW_UPDATE -> windowUpdate(in, from, length, stream);
            default -> events.unknown(type, stream, in, from, length);
        }
    }

    private boolean isWellFormed(boolean hasStreamDue, boolean hasLengthDue) {
        if (!hasStreamDue || !hasLengthDue) {
            events.connectionFault(hasStreamDue ? ErrorCode.FRAME_SIZE_ERROR : ErrorCode.PROTOCOL_ERROR);
        }
        return hasStreamDue && hasLengthDue;
    }

    private void data(ByteBuf in, int from, int length, int flags, int stream) {
        int padding = padding(in, from, length, flags, 0, stream);
        if (padding < 0) {
            return;
        }
        ByteBuf content = in.retainedSlice(padding == 0 ? from : from + 1, length - padding);
        try {
            events.data(stream, content, padding, (flags & Frames.END_STREAM) != 0);
        } finally {
            content.release();
        }
    }

    // with the octet that tells its length; less than zero for a fault, which has been reported
    private int padding(ByteBuf in, int from, int length, int flags, int fields, int stream) {
        boolean padded = (flags & Frames.PADDED) != 0;
        int least = fields + (padded ? 1 : 0);
        if (!isWellFormed(stream != 0, length >= least)) {
            return -1;
        }
        int padding = padded ? in.getUnsignedByte(from) + 1 : 0;
        if (padding + fields > length) {
            events.connectionFault(ErrorCode.PROTOCOL_ERROR);
            return -1;
        }
        return padding;
    }

    private void priority(ByteBuf in, int from, int length, int stream) {
        if (stream == 0) {
            events.connectionFault(ErrorCode.PROTOCOL_ERROR);
        } else if (length != PRIORITY_OCTETS) {
            events.streamFault(stream, ErrorCode.FRAME_SIZE_ERROR);
        } else if (isAboutItself(in, from, stream)) {
            events.streamFault(stream, ErrorCode.PROTOCOL_ERROR);
        }
    }

    // RFC 7540 5.3.1: priorities are not followed, but the fault has stayed one to those who test
    private static boolean isAboutItself(ByteBuf in, int at, int stream) {
        return (in.getInt(at) & Integer.MAX_VALUE) == stream;
    }

    private void settings(ByteBuf in, int from, int length, int flags, int stream) {
        boolean answer = (flags & Frames.ACK) != 0;
        if (!isWellFormed(stream == 0, answer ? length == 0 : length % SETTING_OCTETS == 0)) {
            return;
        }
        if (answer) {
            events.settingsKnown();
        } else {
            events.settings(in, from, length / SETTING_OCTETS);
        }
    }

    private void windowUpdate(ByteBuf in, int from, int length, int stream) {
        if (!isWellFormed(true, length == 4)) {
            return;
        }
        int more = in.getInt(from) & Integer.MAX_VALUE;
        if (more > 0) {
            events.windowUpdate(stream, more);
        } else if (stream == 0) {
            events.connectionFault(ErrorCode.PROTOCOL_ERROR);
        } else {
            events.streamFault(stream, ErrorCode.PROTOCOL_ERROR);
        }
    }

    // ---- header blocks

    private void headers(ByteBuf in, int from, int length, int flags, int stream) {
        boolean prioritized = (flags & Frames.PRIORITIZED) != 0;
        int fields = prioritized ? PRIORITY_OCTETS : 0;
        int padding = padding(in, from, length, flags, fields, stream);
        if (padding < 0) {
            return;
        }
        int start = from + (padding == 0 ? 0 : 1);
        boolean aboutItself = prioritized && isAboutItself(in, start, stream);
        blockFault = aboutItself ? ErrorCode.PROTOCOL_ERROR : ErrorCode.NO_ERROR;
        blockEnds = (flags & Frames.END_STREAM) != 0;
        blockStream = stream;
        fragment(in, start + fields, length - padding - fields, flags);
    }

    private void continuation(ByteBuf in, int from, int length, int flags) {
        if (blockStream == 0) {
            events.connectionFault(ErrorCode.PROTOCOL_ERROR);
        } else {
            fragment(in, from, length, flags);
        }
    }

    private void fragment(ByteBuf in, int from, int length, int flags) {
        ByteBuf joined = block;
        if ((joined == null ? 0 : joined.readableBytes()) + length > mostBlock) {
            // what follows could not be decompressed
            events.connectionFault(ErrorCode.PROTOCOL_ERROR);
            return;
        }
        boolean whole = (flags & Frames.END_HEADERS) != 0;
        if (joined == null && !whole) {
            joined = allocator.heapBuffer(Math.max(LEAST_HELD, length));
            block = joined;
        }
        if (joined != null) {
            joined.writeBytes(in, from, length);
        }
        if (!whole) {
            return;
        }
        int stream = blockStream;
        blockStream = 0;
        block = null;
        try {
            if (joined == null) {
                events.headers(stream, in, from, from + length, blockEnds, blockFault);
            } else {
                events.headers(stream, joined, 0, joined.writerIndex(), blockEnds, blockFault);
            }
        } finally {
            if (joined != null) {
                joined.release();
            }
        }
    }

    /** Drops the octets that it holds. */
    void close() {
        ByteBuf held = rest;
        rest = null;
        if (held != null) {
            held.release();
        }
        ByteBuf joined = block;
        block = null;
        if (joined != null) {
            joined.release();
        }
    }

    /** The receiver of frames whose form is right. A stream's number may be any, but for zero where that is not said. */
    interface Events {
        /** Returns whether nothing is read any more; asked before each frame. */
        boolean isOver();

        /**
         * Counts a frame that is whole, before its form is judged. DATA, HEADERS and CONTINUATION are passed on in any
         * case, as windows and compression depend on them.
         *
         * @return whether it is passed on
         */
        boolean admits(int type, int flags, int stream, int length);

        /**
         * @param content the reader's, to be retained if it is kept
         * @param padding octets besides the content, which count for the windows
         */
        void data(int stream, ByteBuf content, int padding, boolean ends);

        /**
         * A header block has come, which has to be decompressed even where its stream is an error.
         *
         * @param fault for which its stream is to be reset, NO_ERROR for none
         */
        void headers(int stream, ByteBuf block, int from, int to, boolean ends, ErrorCode fault);

        void resetRead(int stream, long code);

        /**
         * @param in where {@code count} settings of six octets stand from {@code from} on
         */
        void settings(ByteBuf in, int from, int count);

        /** The peer has acknowledged settings. */
        void settingsKnown();

        void ping(long data, boolean answer);

        void goAwayRead(int last, long code);

        /**
         * @param stream 0 for the connection
         */
        void windowUpdate(int stream, int more);

        void unknown(int type, int stream, ByteBuf in, int from, int length);

        void connectionFault(ErrorCode error);

        void streamFault(int stream, ErrorCode error);
    }
}
