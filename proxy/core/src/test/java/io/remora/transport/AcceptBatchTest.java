package io.remora.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Batches that say if connections have waited in the backlog. */
final class AcceptBatchTest {
    private static final int FULL = AcceptBatch.MOST;

    private final EmbeddedChannel listening = new EmbeddedChannel();
    private long nowNs = 1;
    private final AcceptBatch batch = new AcceptBatch(new AcceptGate("in", 10_000), () -> nowNs);

    @SuppressWarnings("deprecation") // Netty asks for this type and offers no other
    private final RecvByteBufAllocator.Handle handle = batch.newHandle();

    @AfterEach
    void close() {
        listening.finishAndReleaseAll();
    }

    private void accept(int connections, long afterNs) {
        nowNs += afterNs;
        handle.reset(listening.config());
        for (int i = 0; i < connections; i++) {
            assertThat(handle.continueReading()).isTrue();
            handle.incMessagesRead(1);
        }
        assertThat(handle.continueReading()).isEqualTo(connections < FULL);
    }

    @Test
    void batchesThatAreFullForSomeTimeAreBehind() {
        accept(FULL, 0);
        assertThat(batch.isBehind()).as("the first one").isFalse();
        accept(FULL, AcceptBatch.BEHIND_NS - 1);
        assertThat(batch.isBehind()).as("too soon").isFalse();
        accept(FULL, 1);
        assertThat(batch.isBehind()).isTrue();
    }

    @Test
    void aBatchWithRoomLeftIsNotBehind() {
        accept(FULL, 0);
        accept(FULL - 1, AcceptBatch.BEHIND_NS);
        assertThat(batch.isBehind()).isFalse();
        accept(FULL, AcceptBatch.BEHIND_NS);
        assertThat(batch.isBehind()).as("again the first one").isFalse();
    }

    /** The backlog may have been empty after a batch that was just full. */
    @Test
    void aFullBatchLongAfterAnotherIsNotBehind() {
        accept(FULL, 0);
        accept(FULL, AcceptBatch.GAP_NS);
        assertThat(batch.isBehind()).isFalse();
        accept(FULL, AcceptBatch.BEHIND_NS);
        assertThat(batch.isBehind()).isTrue();
    }
}
