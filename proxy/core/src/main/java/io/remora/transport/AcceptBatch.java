package io.remora.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelConfig;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;

/**
 * Size of the batches in which a loop accepts connections: as many a turn as there is room for, up to a bound. With one
 * a turn, clients would wait behind every turn that busy connections make long.
 *
 * <p>Owner: the listener's loop.
 */
final class AcceptBatch implements RecvByteBufAllocator {
    private static final int MOST = 64;

    private final AcceptGate gate;

    AcceptBatch(AcceptGate gate) {
        this.gate = gate;
    }

    @Override
    @SuppressWarnings("deprecation") // Netty asks for this type and offers no other
    public Handle newHandle() {
        return new Batch(gate);
    }

    private static final class Batch implements ExtendedHandle {
        private final AcceptGate gate;
        private int accepted;

        Batch(AcceptGate gate) {
            this.gate = gate;
        }

        @Override
        public void reset(ChannelConfig config) {
            accepted = 0;
        }

        @Override
        public void incMessagesRead(int count) {
            accepted += count;
        }

        // what was accepted in this turn reaches the gate only after its last
        @Override
        public boolean continueReading() {
            return accepted < MOST && accepted < gate.room();
        }

        @Override
        public boolean continueReading(UncheckedBooleanSupplier maybeMore) {
            return continueReading();
        }

        @Override
        public ByteBuf allocate(ByteBufAllocator allocator) {
            throw new UnsupportedOperationException("a listener reads connections");
        }

        @Override
        public int guess() {
            return 0;
        }

        @Override
        public void lastBytesRead(int octets) {}

        @Override
        public int lastBytesRead() {
            return 0;
        }

        @Override
        public void attemptedBytesRead(int octets) {}

        @Override
        public int attemptedBytesRead() {
            return 0;
        }

        @Override
        public void readComplete() {}
    }
}
