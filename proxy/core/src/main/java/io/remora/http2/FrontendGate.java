package io.remora.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.remora.http2.config.Http2Config;
import io.remora.memory.Held;
import io.remora.memory.LoopBudget;
import io.remora.transport.Loop;
import org.jspecify.annotations.Nullable;

/**
 * Hands a client's octets on frame by whole frame, and keeps the part of a frame that has come. So a connection that
 * waits holds no shared buffer, and every frame is counted before it causes work.
 *
 * <p>Owner: one connection. Cost: a frame that comes in pieces is copied once. Bounds: one frame, and the loop's budget
 * of held bytes.
 */
final class FrontendGate {
    private static final int PREFACE_OCTETS = 24;
    private static final int LEAST_HELD = 256;
    private static final int FLAGS_AT = 4;

    private final ByteBufAllocator allocator;
    private final Http2Config config;
    private final FrontendFloods floods;
    private final Sink sink;
    private int prefaceLeft = PREFACE_OCTETS;
    /** Octets of a frame that is not whole. */
    private @Nullable ByteBuf rest;
    /** Set while a header section is not whole. */
    private boolean inHead;
    /** Octets of that section, in frames that are whole. */
    private int headOctets;

    /** Header sections that were whole. */
    private int heads;

    private int continuations;
    /** True where the frame that was counted last brings nothing, and is not paid for. */
    private boolean excess;

    private final Held held;

    FrontendGate(Loop loop, ByteBufAllocator allocator, Http2Config config, FrontendFloods floods, Sink sink) {
        this.held = new Held(loop.memory());
        this.allocator = allocator;
        this.config = config;
        this.floods = floods;
        this.sink = sink;
    }

    /** Most octets of a header section as it is sent, beyond which its connection ends. */
    static int mostHeadOctets(Http2Config config) {
        return config.maxHeaderListBytes() / 4 * 5;
    }

    // before the client knows of more, it may still keep to the least
    private int mostOctets() {
        return Math.max(config.maxFrameBytes(), Frames.LEAST_FRAME) + Frames.HEADER_OCTETS;
    }

    /** Takes over {@code bytes}. */
    void read(ByteBuf bytes) {
        try {
            passPreface(bytes);
            while (rest != null && bytes.isReadable() && !sink.isOver()) {
                complete(rest, bytes);
            }
            if (bytes.isReadable() && !sink.isOver()) {
                passWhole(bytes);
            }
        } finally {
            bytes.release();
        }
    }

    // so that a wrong one is judged at once
    private void passPreface(ByteBuf bytes) {
        int length = Math.min(prefaceLeft, bytes.readableBytes());
        if (length > 0) {
            prefaceLeft -= length;
            sink.frames(bytes.readRetainedSlice(length));
        }
    }

    private void complete(ByteBuf part, ByteBuf bytes) {
        int whole =
                part.readableBytes() < Frames.HEADER_OCTETS ? Frames.HEADER_OCTETS : octetsOf(part, part.readerIndex());
        part.writeBytes(bytes, Math.min(whole - part.readableBytes(), bytes.readableBytes()));
        if (part.readableBytes() < Frames.HEADER_OCTETS) {
            return;
        }
        int octets = octetsOf(part, part.readerIndex());
        if (octets > mostOctets()) {
            // the reader of frames refuses it by its header
            rest = null;
            sink.frames(part);
        } else if (part.readableBytes() == octets) {
            rest = null;
            if (passes(part, part.readerIndex())) {
                sink.frames(part);
            } else {
                part.release();
            }
        }
    }

    private void passWhole(ByteBuf bytes) {
        int end = bytes.writerIndex();
        int at = bytes.readerIndex();
        while (!sink.isOver() && end - at >= Frames.HEADER_OCTETS && octetsOf(bytes, at) <= end - at) {
            int octets = octetsOf(bytes, at);
            Abuse abuse = count(bytes, at);
            if (abuse != null || drops()) {
                if (abuse == null || abuse.hasGrace()) {
                    // what the client has said before it went too far is heard
                    handOn(bytes, at);
                }
                end(abuse);
                if (drops()) {
                    bytes.skipBytes(octets);
                }
            }
            at += octets;
        }
        if (!sink.isOver()) {
            handOn(bytes, at);
        }
        if (bytes.isReadable() && !sink.isOver()) {
            keep(bytes);
        }
    }

    private void handOn(ByteBuf bytes, int to) {
        int octets = to - bytes.readerIndex();
        if (octets > 0) {
            sink.frames(bytes.readRetainedSlice(octets));
        }
    }

    private boolean passes(ByteBuf frame, int at) {
        end(count(frame, at));
        return !sink.isOver() && !drops();
    }

    private void end(@Nullable Abuse abuse) {
        if (abuse != null && !sink.isOver()) {
            sink.abuse(abuse);
        }
    }

    // a client that has passed a bound is not answered any more
    private boolean drops() {
        return excess && floods.isPassed();
    }

    private void keep(ByteBuf bytes) {
        int octets = bytes.readableBytes();
        boolean tooLong = octets >= Frames.HEADER_OCTETS && octetsOf(bytes, bytes.readerIndex()) > mostOctets();
        if (tooLong) {
            // the reader of frames refuses it by its header
            sink.frames(bytes.readRetainedSlice(octets));
        } else {
            rest = allocator.heapBuffer(Math.max(LEAST_HELD, octets)).writeBytes(bytes);
        }
    }

    private static int octetsOf(ByteBuf bytes, int at) {
        return Frames.HEADER_OCTETS + bytes.getUnsignedMedium(at);
    }

    // a frame is whole
    private @Nullable Abuse count(ByteBuf bytes, int at) {
        int type = bytes.getUnsignedByte(at + FLAGS_AT - 1);
        excess = false;
        if (type == Frames.HEADERS || type == Frames.CONTINUATION) {
            boolean ends = (bytes.getUnsignedByte(at + FLAGS_AT) & Frames.END_HEADERS) != 0;
            return head(type == Frames.HEADERS, ends, bytes.getUnsignedMedium(at));
        }
        return switch (type) {
            // counted where the streams are known
            case Frames.DATA, Frames.RST_STREAM -> null;
            case Frames.WINDOW_UPDATE -> floods.windowUpdate();
            case Frames.PING -> floods.isPaid(isAnswer(bytes, at)) ? null : excess();
            case Frames.PRIORITY, Frames.SETTINGS, Frames.GOAWAY -> excess();
            default -> excess();
        };
    }

    private static boolean isAnswer(ByteBuf bytes, int at) {
        return (bytes.getUnsignedByte(at + FLAGS_AT) & Frames.ACK) != 0;
    }

    private @Nullable Abuse excess() {
        excess = true;
        return floods.controlFrame();
    }

    private @Nullable Abuse head(boolean begins, boolean ends, int length) {
        continuations = begins ? 0 : continuations + 1;
        headOctets = begins ? length : headOctets + length;
        boolean tooLarge = headOctets > mostHeadOctets(config);
        inHead = !ends;
        if (ends) {
            heads++;
            headOctets = 0;
        }
        return tooLarge ? Abuse.HEADER_LIST : floods.continuations(continuations);
    }

    /** The number of the header section that has begun and is not whole, the preface being the first; 0 for none. */
    int partialHead() {
        ByteBuf part = rest;
        boolean mayBe = part != null
                && (part.readableBytes() < FLAGS_AT
                        || part.getByte(part.readerIndex() + FLAGS_AT - 1) == Frames.HEADERS);
        boolean begun = inHead || mayBe || prefaceLeft > 0 && prefaceLeft < PREFACE_OCTETS;
        return begun ? heads + 1 : 0;
    }

    /** The stream of a DATA frame that is not whole, 0 for none. */
    int partialData() {
        ByteBuf part = rest;
        if (part == null || part.readableBytes() < Frames.HEADER_OCTETS) {
            return 0;
        }
        boolean isData = part.getByte(part.readerIndex() + FLAGS_AT - 1) == Frames.DATA;
        return isData ? part.getInt(part.readerIndex() + FLAGS_AT + 1) & Integer.MAX_VALUE : 0;
    }

    /** Counts the held bytes; returns whether there is room for them. */
    boolean hold() {
        int part = rest == null ? 0 : rest.capacity();
        // DATA is an exchange's, which has its place
        return held.to(headOctets + part, headOctets + (partialData() == 0 ? part : 0));
    }

    /** Has clients that have more than their share make room for the held bytes; returns whether there is room now. */
    boolean makeRoom(LoopBudget budget, Object client) {
        return partialData() == 0 ? budget.makeRoomForUnfinished(client) : budget.makeRoomForHeld(client);
    }

    int heldBytes() {
        return held.bytes();
    }

    /** Drops the held bytes. */
    void close() {
        ByteBuf part = rest;
        rest = null;
        headOctets = 0;
        if (part != null) {
            part.release();
        }
        hold();
    }

    /** The reader of frames. */
    interface Sink {
        /** Takes over {@code frames}, which are whole. */
        void frames(ByteBuf frames);

        void abuse(Abuse abuse);

        /** Returns whether nothing is read any more. */
        boolean isOver();
    }
}
