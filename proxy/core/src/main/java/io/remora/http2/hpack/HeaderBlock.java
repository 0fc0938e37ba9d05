package io.remora.http2.hpack;

import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.FastThreadLocal;

/**
 * An array that receives one header block at a time. Compression writes octet by octet, which costs an array least; the
 * block then leaves in one copy.
 *
 * <p>Owner: an event loop. Bounds: {@link #KEPT} octets stay; a larger block has an array until the next one.
 */
public final class HeaderBlock {
    private static final int KEPT = 4 << 10;
    private static final FastThreadLocal<HeaderBlock> SHARED = new FastThreadLocal<>();

    byte[] octets = new byte[KEPT];
    int length;

    /** Begins a block of at most so many octets in the array of this thread, which ends the one before. */
    public static HeaderBlock begin(int most) {
        HeaderBlock shared = SHARED.getIfExists();
        if (shared == null) {
            shared = new HeaderBlock();
            SHARED.set(shared);
        }
        shared.clear(most);
        return shared;
    }

    /** Begins another block of at most so many octets. */
    void clear(int most) {
        length = 0;
        if (most > octets.length || octets.length > KEPT) {
            octets = new byte[Math.max(most, KEPT)];
        }
    }

    public int length() {
        return length;
    }

    /** Copies {@code count} octets, from {@code start} on. */
    public void copyTo(ByteBuf out, int start, int count) {
        out.writeBytes(octets, start, count);
    }

    void write(int octet) {
        octets[length++] = (byte) octet;
    }
}
