package io.remora.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.memory.MemoryCosts;
import io.remora.memory.MemoryPlan;
import io.remora.memory.MemoryWatch;
import io.remora.memory.Plans;
import io.remora.metrics.LoopMetric;
import io.remora.metrics.LoopStats;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Places of handshakes that become free while others wait. */
final class HandshakesTest {
    private static final int MANY = 1 << 20;

    private final LoopStats stats = new LoopStats("0");
    private final Handshakes handshakes =
            new Handshakes(new MemoryWatch(plan(), 1).budget(0, stats).handshakes());

    /** Returns a plan with room for three handshakes. */
    private static MemoryPlan plan() {
        MemoryCosts.Cost connection = new MemoryCosts.Cost(12_000, 0);
        MemoryCosts costs =
                new MemoryCosts(1_000, 0, connection, connection, new MemoryCosts.Cost(40_000, 0), () -> 0L);
        return new MemoryPlan(Plans.NO_LIMIT, 0, 16 << 20, 0, 1 << 20, MANY, MANY, 3, costs);
    }

    private One begun(String client, Object listener) {
        One one = new One(client, listener);
        assertThat(handshakes.begin(one)).isTrue();
        return one;
    }

    private One speaking(String client, Object listener) {
        One one = begun(client, listener);
        assertThat(handshakes.speaks(one, 0)).isTrue();
        return one;
    }

    /** A listener's own bound frees a place of the memory that all listeners share. */
    @Test
    void aPlaceThatAListenerFreesIsGivenAtOnce() {
        One first = speaking("crowd", "a");
        One second = speaking("crowd", "a");
        One newcomer = speaking("other", "a");
        One waiting = begun("crowd", "b");
        assertThat(handshakes.speaks(waiting, 0)).isFalse();
        assertThat(handshakes.makeRoom(newcomer)).isTrue();
        assertThat(first.reason).isEqualTo(Handshake.Cut.PLACE);
        assertThat(second.reason).isNull();
        assertThat(waiting.admitted).as("admitted").isTrue();
        assertThat(stats.value(LoopMetric.MEMORY_HANDSHAKES_WAITING)).isZero();
        assertThat(handshakes.speaks(begun("crowd", "b"), 0)).as("a fourth one").isFalse();
    }

    /** Otherwise a handshake that was cut for a newcomer would make room for another. */
    @Test
    void aPlaceThatIsCutForOneIsNotGivenToAnother() {
        One longest = speaking("crowd", "a");
        speaking("crowd", "a");
        speaking("crowd", "a");
        One waiting = begun("crowd", "a");
        assertThat(handshakes.speaks(waiting, 0)).isFalse();
        speaking("other", "a");
        assertThat(longest.reason).isEqualTo(Handshake.Cut.MEMORY);
        assertThat(waiting.admitted).isFalse();
    }

    /** A handshake that has begun at time 0. */
    private final class One implements OneHandshake {
        private Object client;
        private final Object listener;
        private boolean admitted;
        private Handshake.@Nullable Cut reason;

        One(Object client, Object listener) {
            this.client = client;
            this.listener = listener;
        }

        @Override
        public long beganNs() {
            return 0;
        }

        @Override
        public Object client() {
            return client;
        }

        @Override
        public void client(Object known) {
            client = known;
        }

        @Override
        public Object listener() {
            return listener;
        }

        @Override
        public boolean countsFor(Object other) {
            return listener.equals(other);
        }

        @Override
        public void readNow() {}

        @Override
        public int waitingOctets() {
            return 3;
        }

        @Override
        public void admit() {
            admitted = true;
        }

        @Override
        public void cut(Handshake.Cut why) {
            reason = why;
            handshakes.ended(this);
        }

        @Override
        public void cutUnanswered() {
            cut(Handshake.Cut.MEMORY);
        }
    }
}
