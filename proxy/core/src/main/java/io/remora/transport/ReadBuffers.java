package io.remora.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.socket.DuplexChannelConfig;
import io.netty.util.UncheckedBooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Buffers for reads of sockets: the event loop's {@link SharedBuffer} where that is free. Larger reads get a buffer of
 * their own, which grows and shrinks with what a connection sends.
 *
 * <p>Thread safe; each handle belongs to its channel's event loop.
 */
final class ReadBuffers implements RecvByteBufAllocator {
    /** Reads in a row before other connections get their turn. */
    private static final int MAX_READS = 16;

    private final int largest;
    private final @Nullable Runnable atEnd;

    /**
     * @param largest octets of one read
     */
    ReadBuffers(int largest) {
        this(largest, null);
    }

    /**
     * @param atEnd run where the peer has ended its side and half-closes are wanted, for a channel that would close then
     */
    ReadBuffers(int largest, @Nullable Runnable atEnd) {
        this.largest = largest;
        this.atEnd = atEnd;
    }

    @Override
    @SuppressWarnings("deprecation") // Netty asks for this type and offers no other
    public Handle newHandle() {
        return new SharingHandle(largest, atEnd);
    }

    /** Bounds reads of the channel to so many octets from now on. */
    static void bound(Channel channel, int octets) {
        if (channel.unsafe().recvBufAllocHandle() instanceof SharingHandle handle) {
            handle.bound(octets);
        }
    }

    /** Owner: one channel's event loop. */
    private static final class SharingHandle implements ExtendedHandle {
        private int largest;
        private int size;
        private int attempted;
        private int lastRead;
        private int reads;
        private @Nullable ChannelConfig config;
        private final @Nullable Runnable atEnd;
        private boolean ended;

        SharingHandle(int largest, @Nullable Runnable atEnd) {
            this.largest = largest;
            this.atEnd = atEnd;
            this.size = Math.min(SharedBuffer.READ.octets(), largest);
        }

        void bound(int octets) {
            largest = octets;
            size = Math.min(size, octets);
        }

        @Override
        public ByteBuf allocate(ByteBufAllocator allocator) {
            if (size != SharedBuffer.READ.octets()) {
                return allocator.directBuffer(size, size);
            }
            SharedBuffer shared = SharedBuffer.READ.isFree() ? SharedBuffer.READ : SharedBuffer.NESTED_READ;
            return shared.take(allocator, shared.octets(), shared.octets());
        }

        @Override
        public int guess() {
            return size;
        }

        @Override
        public void reset(ChannelConfig channelConfig) {
            config = channelConfig;
            reads = 0;
            lastRead = 0;
        }

        @Override
        public void incMessagesRead(int count) {
            reads += count;
        }

        @Override
        public void lastBytesRead(int octets) {
            ended = octets < 0
                    && atEnd != null
                    && config instanceof DuplexChannelConfig duplex
                    && duplex.isAllowHalfClosure();
            // nothing was read, for all that the channel is to know
            lastRead = ended ? 0 : octets;
            if (octets == attempted && attempted == size) {
                size = Math.min(size * 2, largest);
            } else if (octets > 0 && octets <= size / 4 && size > SharedBuffer.READ.octets()) {
                size = Math.max(size / 2, SharedBuffer.READ.octets());
            }
        }

        @Override
        public int lastBytesRead() {
            return lastRead;
        }

        @Override
        public void attemptedBytesRead(int octets) {
            attempted = octets;
        }

        @Override
        public int attemptedBytesRead() {
            return attempted;
        }

        // what filled its buffer may not have been all there is; reading may have been stopped meanwhile
        @Override
        public boolean continueReading() {
            return config != null && config.isAutoRead() && lastRead > 0 && lastRead == attempted && reads < MAX_READS;
        }

        @Override
        public boolean continueReading(UncheckedBooleanSupplier maybeMore) {
            return continueReading();
        }

        @Override
        public void readComplete() {
            if (ended && atEnd != null) {
                ended = false;
                atEnd.run();
            }
        }
    }
}
