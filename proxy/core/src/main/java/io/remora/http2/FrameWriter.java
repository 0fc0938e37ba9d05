package io.remora.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.util.concurrent.PromiseNotifier;
import io.remora.http2.hpack.HeaderBlock;
import io.remora.http2.hpack.HpackEncoder;
import io.remora.transport.SharedBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Writes frames, one behind the other into one buffer a turn, which the event loop shares. Content that is not small
 * leaves as the buffer it came in, between the pieces of that one. The peer earns credit for what it may answer.
 *
 * <p>Order: frames leave as they are written, each header block and each frame without another one in it. The channel may
 * call back as it takes a piece, and bring about further frames: {@link #makeRoom} has that happen before a frame begins,
 * and what is written in the middle of one follows it.
 *
 * <p>Owner: one connection. Cost: no object for a frame, and no promise. Bounds: {@link #USUAL} octets that the channel
 * does not know of yet. Spec: RFC 9113 sections 4.1 and 6.
 */
final class FrameWriter {
    /** The largest content that is copied behind its frame's header. */
    static final int SMALL = 2 << 10;
    /** Octets of two changes of the table's size (RFC 7541 4.2). */
    private static final int TABLE_CHANGES = 12;
    /** A buffer of a turn that fills more than one. */
    private static final int USUAL = 4 << 10;

    private static final int LEAST = 256;
    /** Room for which a buffer is kept after a part of it has left. */
    private static final int WORTH_KEEPING = 128;

    /** The frame, or the header block, that the channel has in part. */
    private enum Part {
        NONE,
        BEGUN,
        /** The channel takes a piece of it, and may call back. */
        LEAVING
    }

    private final Channel channel;
    private final HpackEncoder sections;
    private final PeerFrames credit;
    private int mostFrame = Frames.LEAST_FRAME;

    private @Nullable ChannelHandlerContext at;
    /** Frames of this turn, from {@link #start} on; null for none. */
    private @Nullable ByteBuf out;

    private int start;
    /** True where this turn has filled a buffer already. */
    private boolean filled;

    private Part part = Part.NONE;
    /** Frames that were written in the middle of another one; null for none. */
    private @Nullable ByteBuf late;
    /** The promise for those, null for none. */
    private @Nullable ChannelPromise lateLeft;

    FrameWriter(Channel channel, HpackEncoder sections, PeerFrames credit) {
        this.channel = channel;
        this.sections = sections;
        this.credit = credit;
    }

    /** Writes to this place of the pipeline. */
    void begin(ChannelHandlerContext context) {
        at = context;
    }

    /** Sets the largest payload that the peer takes. */
    void mostFrame(int octets) {
        mostFrame = octets;
    }

    int mostFrame() {
        return mostFrame;
    }

    /** Returns whether the channel takes more without a queue that is too long. */
    boolean isWritable() {
        return at != null && channel.isWritable();
    }

    /** Returns the octets that may follow until the channel takes no more. */
    long room() {
        return channel.bytesBeforeUnwritable();
    }

    /** Takes the largest table that the peer allows for compression. */
    void peerTable(long octets) {
        sections.peerTableOctets(octets);
    }

    // ---- frames

    void preface(byte[] octets) {
        room(octets.length).writeBytes(octets);
    }

    /**
     * @param pairs identifier and value in turn
     */
    void settings(int... pairs) {
        ByteBuf into = begin(pairs.length * 3, Frames.SETTINGS, 0, 0);
        for (int i = 0; i < pairs.length; i += 2) {
            into.writeShort(pairs[i]).writeInt(pairs[i + 1]);
        }
    }

    void settingsAck() {
        begin(0, Frames.SETTINGS, Frames.ACK, 0);
    }

    void ping(long data, boolean answer) {
        if (!answer) {
            credit.pingWritten();
        }
        begin(8, Frames.PING, answer ? Frames.ACK : 0, 0).writeLong(data);
    }

    void goAway(int lastStream, long code) {
        begin(8, Frames.GOAWAY, 0, 0).writeInt(lastStream).writeInt((int) code);
    }

    void reset(int stream, long code) {
        begin(4, Frames.RST_STREAM, 0, stream).writeInt((int) code);
    }

    void windowUpdate(int stream, int more) {
        begin(4, Frames.WINDOW_UPDATE, 0, stream).writeInt(more);
    }

    /** Takes over {@code content}, which is no larger than a frame may be. */
    void data(int stream, ByteBuf content, boolean ends) {
        int octets = content.readableBytes();
        credit.dataWritten(1, octets);
        int flags = ends ? Frames.END_STREAM : 0;
        ChannelHandlerContext to = at;
        ByteBuf left = content;
        try {
            if (to == null) {
                // nobody gets it
                return;
            }
            if (isCopied(octets)) {
                header(room(Frames.HEADER_OCTETS + octets), octets, Frames.DATA, flags, stream)
                        .writeBytes(content);
                return;
            }
            header(room(Frames.HEADER_OCTETS), octets, Frames.DATA, flags, stream);
            part = Part.BEGUN;
            handOver(true, null);
            left = null;
            leave(to, content, null);
        } finally {
            drop(left);
            whole();
        }
    }

    /** Writes an empty frame that ends its stream. */
    void end(int stream) {
        credit.dataWritten(1, 0);
        begin(0, Frames.DATA, Frames.END_STREAM, stream);
    }

    /** Writes a section; where that throws, the peer's table is not the writer's any more, and the connection has to end. */
    void headers(int stream, SentSection section, boolean ends) {
        credit.headersWritten();
        int flags = ends ? Frames.END_STREAM : 0;
        // the channel is called before the table changes, as it may write another section
        ByteBuf into = room(octetsFor(section));
        HeaderBlock block = HeaderBlock.begin(TABLE_CHANGES + section.mostOctets());
        sections.begin(block);
        section.writeTo(sections, block);
        int octets = block.length();
        if (octets <= mostFrame) {
            header(into, octets, Frames.HEADERS, flags | Frames.END_HEADERS, stream);
            block.copyTo(into, 0, octets);
        } else {
            split(stream, block, flags);
        }
    }

    // the block goes on in further frames
    private void split(int stream, HeaderBlock shared, int flags) {
        int octets = shared.length();
        // the channel may be called between them, and write another section
        ByteBuf block = Unpooled.buffer(octets, octets);
        shared.copyTo(block, 0, octets);
        if (part == Part.NONE) {
            part = Part.BEGUN;
        }
        try {
            for (int from = 0; from < octets; from += mostFrame) {
                int length = Math.min(mostFrame, octets - from);
                int type = from == 0 ? Frames.HEADERS : Frames.CONTINUATION;
                int own = (from == 0 ? flags : 0) | (from + length == octets ? Frames.END_HEADERS : 0);
                begin(length, type, own, stream).writeBytes(block, from, length);
            }
        } finally {
            whole();
        }
    }

    private ByteBuf begin(int octets, int type, int flags, int stream) {
        return header(room(Frames.HEADER_OCTETS + octets), octets, type, flags, stream);
    }

    private static ByteBuf header(ByteBuf into, int octets, int type, int flags, int stream) {
        return into.writeMedium(octets).writeByte(type).writeByte(flags).writeInt(stream);
    }

    // ---- the buffer

    /**
     * Makes room for a frame, so that the frame calls nobody as it begins. Where the channel gets what was written before,
     * it may call back: streams may end in this call, and frames be written.
     *
     * @return whether nobody has been called
     */
    boolean makeRoom(int octets) {
        boolean alone = true;
        while (part != Part.LEAVING && out != null && out.writableBytes() < octets) {
            alone = false;
            filled = true;
            handOver(false, null);
        }
        return alone;
    }

    /** Makes room for the frame of a section in the same way. */
    void makeRoom(SentSection section) {
        makeRoom(octetsFor(section));
    }

    /**
     * Makes room for a frame of DATA in the same way, and takes the buffer: the frame itself then needs no memory, so that
     * none of a stream's content is lost where there is none.
     */
    boolean makeRoomForData(int octets) {
        boolean alone = makeRoom(Frames.HEADER_OCTETS + (octets <= SMALL ? octets : 0));
        room(Frames.HEADER_OCTETS + (isCopied(octets) ? octets : 0));
        return alone;
    }

    private boolean isCopied(int octets) {
        return octets <= SMALL || part == Part.LEAVING;
    }

    private static int octetsFor(SentSection section) {
        return Frames.HEADER_OCTETS + TABLE_CHANGES + section.mostOctets();
    }

    private ByteBuf room(int octets) {
        makeRoom(octets);
        if (at == null) {
            // nobody gets it
            return Unpooled.buffer(octets);
        }
        if (part == Part.LEAVING) {
            return roomBehind(octets);
        }
        ByteBuf into = out;
        if (into == null) {
            // one that waits in a queue is no larger than it has to be
            int otherwise = !channel.isWritable() ? octets : Math.max(octets, filled ? USUAL : LEAST);
            into = SharedBuffer.WRITE.take(channel.alloc(), octets, otherwise);
            out = into;
            start = into.writerIndex();
        }
        return into;
    }

    private ByteBuf roomBehind(int octets) {
        ByteBuf into = late;
        if (into == null) {
            into = channel.alloc().buffer(Math.max(octets, LEAST));
            late = into;
        }
        return into.ensureWritable(octets);
    }

    // the part that the channel has not; the rest of the buffer is kept where more may follow
    private void handOver(boolean goesOn, @Nullable ChannelPromise promise) {
        ByteBuf full = out;
        if (full == null) {
            return;
        }
        ByteBuf piece = full;
        int octets = full.writerIndex() - start;
        if (goesOn && full.writableBytes() >= WORTH_KEEPING) {
            piece = full.retainedSlice(start, octets);
            start = full.writerIndex();
        } else {
            out = null;
            full.readerIndex(start);
        }
        ChannelHandlerContext to = at;
        if (to == null || octets == 0) {
            piece.release();
            keep(promise);
        } else {
            leave(to, piece, promise);
        }
    }

    private static void drop(@Nullable ByteBuf octets) {
        if (octets != null) {
            octets.release();
        }
    }

    private static void keep(@Nullable ChannelPromise promise) {
        if (promise != null) {
            promise.trySuccess();
        }
    }

    private void leave(ChannelHandlerContext to, ByteBuf piece, @Nullable ChannelPromise promise) {
        Part before = part;
        if (before == Part.BEGUN) {
            part = Part.LEAVING;
        }
        try {
            to.write(piece, promise == null ? channel.voidPromise() : promise);
        } finally {
            part = before;
        }
    }

    // the frame or the block is whole: what was written in the middle of it follows
    private void whole() {
        if (part != Part.BEGUN) {
            return;
        }
        try {
            while (late != null) {
                handOver(false, null);
                ByteBuf behind = late;
                ChannelPromise left = lateLeft;
                late = null;
                lateLeft = null;
                ChannelHandlerContext to = at;
                if (behind != null && to != null) {
                    leave(to, behind, left);
                } else {
                    // closed meanwhile
                    drop(behind);
                    keep(left);
                }
            }
        } finally {
            part = Part.NONE;
        }
    }

    /** Hands the frames to the channel; the promise is kept once they have left for the kernel. */
    void handOver(ChannelPromise promise) {
        if (part == Part.LEAVING && late != null) {
            ChannelPromise before = lateLeft;
            if (before != null) {
                PromiseNotifier.cascade(promise, before);
            }
            lateLeft = promise;
        } else if (part == Part.LEAVING || out == null) {
            promise.trySuccess();
        } else {
            handOver(false, promise);
        }
    }

    /** Hands the frames to the channel, and flushes it; who writes a frame flushes what was written in the middle of it. */
    void flush() {
        if (part == Part.LEAVING) {
            return;
        }
        filled = false;
        handOver(false, null);
        ChannelHandlerContext to = at;
        if (to != null) {
            to.flush();
        }
    }

    /** Drops the frames that the channel has not, and writes nothing more. */
    void close() {
        at = null;
        drop(late);
        late = null;
        keep(lateLeft);
        lateLeft = null;
        handOver(false, null);
    }
}
