package io.remora.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Bodies of several clients that share one room. */
final class BodyRoomTest {
    private static final long MOST = 3 << 20;
    private static final long SOME = 128 << 10;

    private final BodyRoom room = new BodyRoom(MOST);

    private final class Body implements BodyRoom.Holder {
        private final Object client;
        private final BodyRoom.Share share = room.new Share(this);
        private boolean reads = true;

        Body(Object client) {
            this.client = client;
        }

        Body take(long octets) {
            share.take(octets, MOST);
            return this;
        }

        @Override
        public Object client() {
            return client;
        }

        @Override
        public void read(boolean on) {
            reads = on;
        }
    }

    /** The others of the client that holds much would fill the room again before this one has grown. */
    @Test
    void aBodyThatHasWaitedDoesNotWaitAgain() {
        Body large = new Body("many").take(MOST);
        Body first = new Body("many").take(MOST);
        Body next = new Body("many").take(SOME);
        Body last = new Body("many").take(SOME);
        Body other = new Body("other").take(SOME);
        assertThat(other.reads).isFalse();
        large.share.giveBack();
        assertThat(other.reads).isTrue();
        assertThat(next.reads || last.reads).isFalse();
        other.take(MOST);
        assertThat(other.reads).isTrue();
        first.share.giveBack();
        assertThat(next.reads).isTrue();
        assertThat(last.reads).isFalse();
        other.share.giveBack();
        assertThat(last.reads).isTrue();
    }

    @Test
    void aBodyIsOverdueOnlyWhileOthersWait() {
        long late = System.nanoTime() + 60_000_000_000L;
        Body large = new Body("one").take(MOST);
        Body first = new Body("one").take(SOME);
        assertThat(large.share.isOverdue(late)).isFalse();
        Body waits = new Body("two").take(SOME);
        assertThat(waits.reads).isFalse();
        assertThat(large.share.isOverdue(late)).isTrue();
        assertThat(first.share.isOverdue(late)).isTrue();
        assertThat(waits.share.isOverdue(late)).isFalse();
    }
}
