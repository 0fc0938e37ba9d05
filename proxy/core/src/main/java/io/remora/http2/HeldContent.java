package io.remora.http2;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Content that waits for its reader, copied into one buffer, and the octets for which the window is not opened meanwhile.
 *
 * <p>Owner: one stream, of either side. Bounds: the stream's window.
 */
final class HeldContent {
    private final int leastOctets;
    private int unopened;
    /** The content, in one buffer, as a window holds as many frames as it has octets. */
    private @Nullable ByteBuf kept;

    /**
     * @param leastOctets of the buffer
     */
    HeldContent(int leastOctets) {
        this.leastOctets = leastOctets;
    }

    /** Returns whether nothing waits. */
    boolean isEmpty() {
        return kept == null;
    }

    /** Keeps a copy of all of {@code data}, which stays the caller's. */
    void keep(ByteBuf data) {
        ByteBuf to = kept;
        if (to == null) {
            to = data.alloc().buffer(Math.max(leastOctets, data.readableBytes()));
            kept = to;
        }
        to.writeBytes(data, data.readerIndex(), data.readableBytes());
    }

    /** Keeps the window closed for so many octets. */
    void owe(int octets) {
        unopened += octets;
    }

    /** Returns for how many octets the window opens now. */
    int pay() {
        int octets = unopened;
        unopened = 0;
        return octets;
    }

    /** Returns what was kept, which is the caller's from now on; null for nothing. */
    @Nullable
    ByteBuf take() {
        ByteBuf content = kept;
        kept = null;
        return content;
    }

    void release() {
        ByteBuf lost = take();
        if (lost != null) {
            lost.release();
        }
    }
}
