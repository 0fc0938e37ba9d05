package io.remora.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.concurrent.FastThreadLocal;

/**
 * A direct buffer of each event loop that its connections use in turn. Octets that are read or written in one turn of
 * the loop are nearly always done with by the next use; where they are not, the caller gets a buffer of its own.
 *
 * <p>Thread safe. Cost: its octets of direct memory an event loop, and no allocation for most reads and writes.
 */
public final class SharedBuffer extends FastThreadLocal<ByteBuf> {
    /** Buffer for reads: most requests fit, and most responses of an API. */
    static final SharedBuffer READ = new SharedBuffer(8 * 1_024);

    /** Buffer for reads inside another read, of octets that a connection holds before it is used again. */
    static final SharedBuffer NESTED_READ = new SharedBuffer(2 * 1_024);

    /** Buffer for heads that are written, with small content after them. */
    public static final SharedBuffer WRITE = new SharedBuffer(4 * 1_024);

    /**
     * Buffer for octets that were read and then decrypted: a read of the size above, after a record that it completes.
     */
    public static final SharedBuffer CONTENT = new SharedBuffer(26 * 1_024);

    /** Buffer for octets encrypted for a write: a head with small content after it. */
    public static final SharedBuffer WIRE = new SharedBuffer(5 * 1_024);

    private final int octets;

    private SharedBuffer(int octets) {
        this.octets = octets;
    }

    int octets() {
        return octets;
    }

    /** True if the next {@link #take} gets it. */
    boolean isFree() {
        ByteBuf shared = getIfExists();
        return shared == null || shared.refCnt() <= 1;
    }

    /**
     * An empty buffer with room for at least {@code needed} octets; the caller releases it.
     *
     * @param otherwise octets of a buffer that is not the shared one, at least {@code needed}
     */
    public ByteBuf take(ByteBufAllocator allocator, int needed, int otherwise) {
        if (needed > octets) {
            return allocator.directBuffer(otherwise, otherwise);
        }
        ByteBuf shared = getIfExists();
        if (shared == null || shared.refCnt() == 0) {
            shared = allocator.directBuffer(octets, octets);
            set(shared);
        }
        return shared.refCnt() == 1 ? shared.clear().retain() : allocator.directBuffer(otherwise, otherwise);
    }

    @Override
    protected void onRemoval(ByteBuf shared) {
        shared.release();
    }
}
