package io.remora.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.Test;

/** Frames that bring nothing, so slowly that no second has too many of them. */
final class BackendFloodsTest {
    private static final int MOST = 1_000;
    private static final int SMALL = 100;

    private long nowNs;
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final BackendGate gate = new BackendGate(new BackendFloods(() -> nowNs), channel);

    private BackendGate.Verdict ping() {
        nowNs += 2_000_000_000L;
        return gate.count(Frames.PING, 0, 8, false);
    }

    private void taken(boolean all) {
        channel.unsafe().outboundBuffer().setUserDefinedWritability(1, all);
        assertThat(channel.isWritable()).isEqualTo(all);
    }

    @Test
    void pingsWhoseAnswersNobodyReadsEndTheConnection() {
        taken(false);
        for (int i = 0; i < MOST; i++) {
            assertThat(ping()).isEqualTo(BackendGate.Verdict.PASSES);
        }
        assertThat(ping()).isEqualTo(BackendGate.Verdict.ENDS);
    }

    @Test
    void answersThatAreReadBeginAnew() {
        for (int round = 0; round < 3; round++) {
            taken(false);
            for (int i = 0; i < MOST; i++) {
                assertThat(ping()).isEqualTo(BackendGate.Verdict.PASSES);
            }
            taken(true);
            assertThat(ping()).isEqualTo(BackendGate.Verdict.PASSES);
        }
    }

    @Test
    void aBlockOfManySmallPartsEndsTheConnection() {
        assertThat(gate.count(Frames.HEADERS, 0, SMALL, true)).isEqualTo(BackendGate.Verdict.PASSES);
        for (int i = 1; i < BackendFloods.SMALL_CONTINUATIONS; i++) {
            assertThat(gate.count(Frames.CONTINUATION, 0, SMALL, true)).isEqualTo(BackendGate.Verdict.PASSES);
        }
        assertThat(gate.count(Frames.CONTINUATION, 0, SMALL, true)).isEqualTo(BackendGate.Verdict.ENDS);
    }

    @Test
    void aBlockOfLargePartsIsBoundedByItsOctets() {
        gate.count(Frames.HEADERS, 0, Frames.LEAST_FRAME, true);
        for (int i = 0; i < 10 * BackendFloods.SMALL_CONTINUATIONS; i++) {
            assertThat(gate.count(Frames.CONTINUATION, 0, Frames.LEAST_FRAME, true))
                    .isEqualTo(BackendGate.Verdict.PASSES);
        }
    }

    @Test
    void aNewBlockBeginsToCountAgain() {
        for (int i = 0; i < 2 * BackendFloods.SMALL_CONTINUATIONS; i++) {
            assertThat(gate.count(Frames.HEADERS, 0, SMALL, true)).isEqualTo(BackendGate.Verdict.PASSES);
            assertThat(gate.count(Frames.CONTINUATION, Frames.END_HEADERS, SMALL, true))
                    .isEqualTo(BackendGate.Verdict.PASSES);
        }
    }
}
