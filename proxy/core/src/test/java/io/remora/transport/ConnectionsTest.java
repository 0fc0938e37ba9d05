package io.remora.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ConnectionsTest {
    private final Connections connections = new Connections();
    private final List<String> ended = new ArrayList<>();

    private void add(String client, int count, long idleSinceNs) {
        for (int i = 0; i < count; i++) {
            connections.add(new Open(client, idleSinceNs + i));
        }
    }

    @Test
    void theLongestIdleGoFirst() {
        add("a", 10, 100);
        assertThat(connections.shed(3, 7)).isEqualTo(3);
        assertThat(ended).containsExactlyInAnyOrder("a100", "a101", "a102");
    }

    @Test
    void thoseOfAClientWithMoreThanItsShareGoBeforeOthers() {
        add("b", 2, 0);
        add("a", 8, 100);
        assertThat(connections.shed(3, 7)).isEqualTo(3);
        assertThat(ended).containsExactlyInAnyOrder("a100", "a101", "a102");
    }

    @Test
    void aClientLosesNoMoreThanItHasBeyondItsShare() {
        add("b", 5, 0);
        add("a", 6, 100);
        assertThat(connections.shed(5, 10)).isEqualTo(1);
        assertThat(ended).containsExactly("a100");
    }

    @Test
    void whereAllThatHaveTooMuchAreBusyTheLongestIdleOneGoes() {
        add("b", 2, 0);
        for (int i = 0; i < 8; i++) {
            connections.add(new Open("a", Long.MAX_VALUE));
        }
        assertThat(connections.shed(1, 9)).isEqualTo(1);
        assertThat(ended).containsExactly("b0");
    }

    @Test
    void thoseThatLingerGoFirst() {
        connections.add(new Open("b", Drainable.LINGERS));
        add("a", 9, 100);
        assertThat(connections.shed(1, 9)).isEqualTo(1);
        assertThat(ended).containsExactly("b" + Drainable.LINGERS);
    }

    @Test
    void addressesOfOneNetworkAreOneClient() {
        add("192.0.2.1", 2, 0);
        for (int i = 0; i < 8; i++) {
            add("2001:db8::" + i, 1, 100 + i);
        }
        assertThat(connections.shed(1, 9)).isEqualTo(1);
        assertThat(ended).containsExactly("2001:db8::0100");
    }

    /** A read answers its request, after which it lingers, or is at rest again. */
    @ParameterizedTest
    @ValueSource(longs = {Drainable.LINGERS, 200})
    void oneThatTheReadAnswersStays(long afterNs) {
        connections.add(new Open("a", 100, Drainable.AfterRead.ANSWERS, afterNs));
        add("a", 9, 101);
        assertThat(connections.shed(1, 9)).isEqualTo(1);
        assertThat(ended).containsExactly("a101");
    }

    @Test
    void oneThatTheReadEndsMakesRoomAndIsNotCounted() {
        connections.add(new Open("a", 100, Drainable.AfterRead.ENDS, 100));
        add("a", 9, 101);
        assertThat(connections.shed(1, 9)).isZero();
        assertThat(ended).isEmpty();
    }

    private final class Open implements Drainable {
        private final String client;
        private final AfterRead afterRead;
        private final long afterReadNs;
        private long idleSinceNs;

        Open(String client, long idleSinceNs) {
            this(client, idleSinceNs, AfterRead.RESTS, idleSinceNs);
        }

        Open(String client, long idleSinceNs, AfterRead afterRead, long afterReadNs) {
            this.client = client;
            this.idleSinceNs = idleSinceNs;
            this.afterRead = afterRead;
            this.afterReadNs = afterReadNs;
        }

        @Override
        public AfterRead readBeforeEnd() {
            idleSinceNs = afterReadNs;
            return afterRead;
        }

        @Override
        public void drain() {
            throw new AssertionError();
        }

        @Override
        public void cut() {
            ended.add(client + idleSinceNs);
        }

        @Override
        public Object client() {
            return client;
        }

        @Override
        public long idleSinceNs() {
            return idleSinceNs;
        }
    }
}
