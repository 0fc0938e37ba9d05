package io.remora.finagle;

import com.twitter.finagle.http.Chunk;
import com.twitter.finagle.http.HeaderMap;
import com.twitter.io.Buf;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/**
 * Content on its way through Finagle's stack. The octets stay in the buffer that they were read into, which the memory
 * budget counts; they are copied only for a filter that looks at them.
 *
 * <p>Owner: the exchange's event loop. Its source says when it is not taken any more, because Finagle's buffers have no
 * owner.
 */
final class Piece extends Chunk {
    private final int length;
    /** The octets, null once they were taken or dropped. */
    private @Nullable ByteBuf octets;

    private @Nullable Buf copy;

    /** Takes over {@code octets}. */
    Piece(ByteBuf octets) {
        this.octets = octets;
        this.length = octets.readableBytes();
    }

    /** The content of a chunk, ours or not. */
    static Piece of(Chunk chunk) {
        return chunk instanceof Piece own ? own : of(chunk.content());
    }

    static Piece of(Buf content) {
        return new Piece(Unpooled.wrappedBuffer(Bytes.in(content)));
    }

    /** Makes a piece with a copy of the octets, which it releases. */
    static Piece copied(ByteBuf octets) {
        byte[] copy = ByteBufUtil.getBytes(octets);
        octets.release();
        return new Piece(Unpooled.wrappedBuffer(copy));
    }

    int length() {
        return length;
    }

    boolean isTaken() {
        return octets == null;
    }

    /**
     * Returns its octets, the caller's to release. A second call returns a copy, where a filter has looked, and nothing
     * otherwise.
     */
    ByteBuf take() {
        ByteBuf given = octets;
        octets = null;
        return given == null ? Unpooled.wrappedBuffer(Bytes.in(content())) : given;
    }

    /** Drops the octets, which are not taken any more. */
    void drop() {
        ByteBuf left = octets;
        octets = null;
        if (left != null) {
            left.release();
        }
    }

    /** Copies the octets, for a reader that may look at them after their buffer's release. */
    void keep() {
        if (octets != null) {
            content();
            drop();
        }
    }

    @Override
    public Buf content() {
        ByteBuf left = octets;
        if (copy == null && left != null) {
            copy = Bytes.of(ByteBufUtil.getBytes(left));
        }
        return copy == null ? Buf.Empty() : copy;
    }

    @Override
    public HeaderMap trailers() {
        return HeaderMap.Empty();
    }

    @Override
    public boolean isLast() {
        return false;
    }
}
