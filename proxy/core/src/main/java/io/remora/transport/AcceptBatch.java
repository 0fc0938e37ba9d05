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
 * <p>It also tells if the loop is behind with accepting: batches have been full for some time, so that connections have
 * waited in the kernel's backlog.
 *
 * <p>Owner: the listener's loop.
 */
final class AcceptBatch implements RecvByteBufAllocator {
    static final int MOST = 64;
    /** Time in which a client that has connected sends its first octets, unless its machine is very busy. */
    static final long BEHIND_NS = 10_000_000;
    /** Time after which a full batch says nothing about the next one, as the backlog may have been empty between them. */
    static final long GAP_NS = 250_000_000;

    private final AcceptGate gate;
    private final NanoClock clock;
    private int accepted;
    /** Time at which the current batch began. */
    private long beganNs;
    /** Time at which the first one of the batches began that have followed each other and were full. */
    private long fullSinceNs;

    AcceptBatch(AcceptGate gate, NanoClock clock) {
        this.gate = gate;
        this.clock = clock;
        this.beganNs = clock.nowNs() - GAP_NS;
    }

    /** Returns whether the connections of the current batch have waited for so long that their clients should have spoken. */
    boolean isBehind() {
        return accepted >= MOST && beganNs - fullSinceNs >= BEHIND_NS;
    }

    @Override
    @SuppressWarnings("deprecation") // Netty asks for this type and offers no other
    public Handle newHandle() {
        return new Batch();
    }

    private final class Batch implements ExtendedHandle {
        @Override
        public void reset(ChannelConfig config) {
            long nowNs = clock.nowNs();
            if (accepted < MOST || nowNs - beganNs >= GAP_NS) {
                fullSinceNs = nowNs;
            }
            beganNs = nowNs;
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
