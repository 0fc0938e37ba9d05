package io.remora.http1;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.remora.http.Fields;
import io.remora.http.Octets;

/**
 * Writes the framing of chunked bodies.
 *
 * <p>Owner: any event loop. Cost: a small chunk is copied, with its framing, into one buffer. Around a large one go two
 * small buffers, of which the second is always the same.
 *
 * <p>Spec: RFC 9112 section 7.1.
 */
public final class ChunkWriter {
    /** Size up to which a copy costs less than two more buffers in a write. */
    static final int SMALL_OCTETS = 1_024;

    private static final byte[] LAST = Octets.of("0\r\n").array;
    private static final int LINE_END = 2;
    private static final short CR_LF = 0x0d0a;
    private static final int HEX_BITS = 4;

    private static final ByteBuf END = constant("\r\n");
    private static final ByteBuf LAST_CHUNK = constant("0\r\n\r\n");

    private ChunkWriter() {}

    private static ByteBuf constant(String text) {
        byte[] octets = Octets.of(text).array;
        ByteBuf constant = Unpooled.directBuffer(octets.length, octets.length).writeBytes(octets);
        return Unpooled.unreleasableBuffer(constant.asReadOnly());
    }

    /** Returns whether {@link #whole} is the way to write it. */
    public static boolean isSmall(ByteBuf content) {
        return content.readableBytes() <= SMALL_OCTETS;
    }

    /** A chunk with its framing; the content is copied and released. */
    public static ByteBuf whole(ByteBufAllocator allocator, ByteBuf content) {
        int length = content.readableBytes();
        int digits = digits(length);
        int octets = digits + LINE_END + length + LINE_END;
        ByteBuf chunk = allocator.ioBuffer(octets, octets);
        writeSize(chunk, length, digits);
        chunk.writeBytes(content);
        chunk.writeShort(CR_LF);
        content.release();
        return chunk;
    }

    /** Returns the line before the content of a chunk that is not empty. */
    public static ByteBuf start(ByteBufAllocator allocator, int length) {
        int digits = digits(length);
        ByteBuf start = allocator.ioBuffer(digits + LINE_END, digits + LINE_END);
        writeSize(start, length, digits);
        return start;
    }

    /** Returns the line end after the content of a chunk. */
    public static ByteBuf end() {
        return END.duplicate();
    }

    /** Returns the end of a chunked body without trailers. */
    public static ByteBuf last() {
        return LAST_CHUNK.duplicate();
    }

    /** Returns the end of a chunked body with trailers. */
    public static ByteBuf last(ByteBufAllocator allocator, Fields trailers) {
        byte[] octets = new byte[LAST.length + trailers.length() + LINE_END];
        System.arraycopy(LAST, 0, octets, 0, LAST.length);
        int end = trailers.writeTo(octets, LAST.length);
        octets[end] = '\r';
        octets[end + 1] = '\n';
        return allocator.ioBuffer(octets.length, octets.length).writeBytes(octets);
    }

    // an empty chunk would be the last one
    private static int digits(int length) {
        if (length <= 0) {
            throw new IllegalArgumentException("a chunk of " + length + " octets");
        }
        return (Integer.SIZE - Integer.numberOfLeadingZeros(length) + HEX_BITS - 1) / HEX_BITS;
    }

    private static void writeSize(ByteBuf out, int length, int digits) {
        for (int shift = (digits - 1) * HEX_BITS; shift >= 0; shift -= HEX_BITS) {
            int digit = length >> shift & 0xf;
            out.writeByte(digit < 10 ? '0' + digit : 'a' + digit - 10);
        }
        out.writeShort(CR_LF);
    }
}
