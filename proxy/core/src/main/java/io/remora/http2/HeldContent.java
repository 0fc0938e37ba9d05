package io.remora.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.jspecify.annotations.Nullable;

/**
 * What has come of a response while its client takes no more, and for how much its window is not opened meanwhile.
 *
 * <p>Owner: one stream. Bounds: the stream's window.
 */
final class HeldContent {
    private final ByteBufAllocator allocator;
    private int unopened;
    /** One buffer, for a window holds as many frames as it has octets. */
    private @Nullable ByteBuf kept;

    HeldContent(ByteBufAllocator allocator) {
        this.allocator = allocator;
    }

    /** Keeps a copy of all of {@code data}, which stays the caller's. */
    void keep(ByteBuf data) {
        ByteBuf to = kept;
        if (to == null) {
            to = allocator.buffer(data.readableBytes());
            kept = to;
        }
        to.writeBytes(data, data.readerIndex(), data.readableBytes());
    }

    /** The window is not opened for so many. */
    void owe(int octets) {
        unopened += octets;
    }

    /** For how many it is to be opened now. */
    int pay() {
        int octets = unopened;
        unopened = 0;
        return octets;
    }

    /** What was kept, which is the caller's from now on; null for nothing. */
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
