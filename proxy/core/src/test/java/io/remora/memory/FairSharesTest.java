package io.remora.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.metrics.LoopStats;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class FairSharesTest {
    private static final long SECOND_NS = 1_000_000_000L;
    private static final long NOW_NS = 100 * SECOND_NS;
    private static final int EXCHANGES = 10;
    private static final long BYTES = 10_000;

    private final List<Claim> claims = new ArrayList<>();
    private final List<String> ended = new ArrayList<>();
    private int looks;
    private final FairShares shares = new FairShares(
            new LoopStats("0"),
            (loop, into) -> {
                looks++;
                into.addAll(claims);
            },
            0);

    private void claim(String client, int number, int bytes, long ageNs, long moved) {
        String name = client + number;
        claims.add(new Claim(client, true, bytes, NOW_NS - ageNs, moved, () -> ended.add(name)));
    }

    private void head(String client, int number, int bytes, long ageNs) {
        String name = client + number;
        claims.add(new Claim(client, false, bytes, NOW_NS - ageNs, 0, () -> ended.add(name)));
    }

    private boolean asks(String client, long nowNs) {
        return asks(client, Shortage.PRESSURE, nowNs);
    }

    private boolean asks(String client, Shortage shortage, long nowNs) {
        return shares.makeRoom(client, shortage, EXCHANGES, BYTES, nowNs);
    }

    @Test
    void aClientThatIsAloneKeepsAllItHas() {
        for (int i = 0; i < EXCHANGES; i++) {
            claim("a", i, 100, 10 * SECOND_NS, 0);
        }
        assertThat(asks("a", NOW_NS)).isFalse();
        assertThat(ended).isEmpty();
    }

    @Test
    void whatHasMovedLeastForItsAgeEnds() {
        for (int i = 0; i < EXCHANGES; i++) {
            claim("a", i, 100, (10 + i) * SECOND_NS, 1_000L * (10 - i));
        }
        assertThat(asks("b", NOW_NS)).isTrue();
        assertThat(ended).containsExactly("a9");
    }

    @Test
    void whatIsYoungStays() {
        for (int i = 0; i < EXCHANGES; i++) {
            claim("a", i, 100, SECOND_NS / 2, 0);
        }
        assertThat(asks("b", NOW_NS)).isFalse();
        assertThat(asks("b", NOW_NS + SECOND_NS)).isTrue();
    }

    /** A client that asks for one part of the memory and then for another causes no more walks than that. */
    @Test
    void walksInVainAreBoundedWhateverIsShort() {
        for (int i = 0; i < EXCHANGES; i++) {
            claim("a", i, 1_000, SECOND_NS / 2, 0);
        }
        for (int i = 0; i < 10; i++) {
            assertThat(asks("b", Shortage.HEAP, NOW_NS + i)).isFalse();
            assertThat(asks("b", Shortage.EXCHANGES, NOW_NS + i)).isFalse();
        }
        assertThat(looks).isEqualTo(2);
        assertThat(asks("b", Shortage.HEAP, NOW_NS + SECOND_NS)).isTrue();
    }

    /** A client that comes back before a second is over has nothing that is older. */
    @Test
    void whereAllIsYoungTheOldestHeadEnds() {
        claim("a", 0, 4_000, SECOND_NS / 2, 0);
        head("a", 1, 3_000, 1);
        head("a", 2, 3_000, 2);
        assertThat(asks("b", Shortage.HEAP, NOW_NS)).isTrue();
        assertThat(ended).containsExactly("a2");
    }

    /** The wait for the rest of a head has no beginning while its client does not read. */
    @Test
    void aHeadOfUnknownAgeIsYoung() {
        claims.add(new Claim("a", false, 8_000, Long.MAX_VALUE, 0, () -> ended.add("a0")));
        assertThat(asks("b", Shortage.HEAP, NOW_NS)).isTrue();
        assertThat(ended).containsExactly("a0");
    }

    @Test
    void aHeadMakesNoRoomForAnExchange() {
        for (int i = 0; i < EXCHANGES; i++) {
            claim("a", i, 100, 10 * SECOND_NS, 1_000);
        }
        head("a", EXCHANGES, 8_000, 10 * SECOND_NS);
        assertThat(asks("b", Shortage.EXCHANGES, NOW_NS)).isTrue();
        assertThat(ended).containsExactly("a0");
    }

    @Test
    void aHeadThatTakesTooMuchOfTheHeapKeepsItWhileOnlyExchangesAreShort() {
        claim("a", 0, 100, 10 * SECOND_NS, 0);
        head("a", 1, 9_000, 10 * SECOND_NS);
        assertThat(asks("b", Shortage.EXCHANGES, NOW_NS)).isFalse();
        assertThat(ended).isEmpty();
        assertThat(asks("b", Shortage.HEAP, NOW_NS)).isTrue();
        assertThat(ended).containsExactly("a1");
    }

    @Test
    void anExchangeThatHoldsLittleMakesNoRoomInTheHeap() {
        for (int i = 0; i < EXCHANGES - 1; i++) {
            claim("a", i, 10, 10 * SECOND_NS, 0);
        }
        claim("a", EXCHANGES, 9_000, 2 * SECOND_NS, 1_000_000);
        assertThat(asks("b", Shortage.HEAP, NOW_NS)).isTrue();
        assertThat(ended).containsExactly("a" + EXCHANGES);
    }

    @Test
    void addressesOfOneNetworkAreOneClient() {
        for (int i = 0; i < EXCHANGES; i++) {
            claim("2001:db8::" + i, i, 100, 10 * SECOND_NS, 0);
        }
        assertThat(asks("2001:db8:0:0:1::1", NOW_NS)).isFalse();
        assertThat(asks("2001:db8:0:1::1", NOW_NS)).isTrue();
        assertThat(ended).hasSize(1);
    }

    @Test
    void oneThatHasItsShareGetsNoMore() {
        for (int i = 0; i < EXCHANGES; i++) {
            claim(i < 5 ? "a" : "b", i, 100, 10 * SECOND_NS, 0);
        }
        assertThat(asks("b", NOW_NS)).isFalse();
        assertThat(asks("c", NOW_NS + SECOND_NS)).isTrue();
        assertThat(ended).hasSize(1);
    }

    @Test
    void heldBytesAreSharedLikeExchanges() {
        claim("a", 0, 200, 10 * SECOND_NS, 0);
        claim("b", 0, 2_000, 10 * SECOND_NS, 0);
        claim("b", 1, 6_000, 10 * SECOND_NS, 0);
        assertThat(asks("a", NOW_NS)).isTrue();
        assertThat(ended).containsExactly("b1");
    }

    @Test
    void aWalkThatCameToNothingIsNotRepeatedAtOnce() {
        for (int i = 0; i < EXCHANGES; i++) {
            claim(i < 5 ? "a" : "b", i, 100, 10 * SECOND_NS, 0);
        }
        assertThat(asks("b", NOW_NS)).isFalse();
        // nobody had more than a half; a newcomer is looked at as soon as that is known
        assertThat(asks("c", NOW_NS + 1)).isFalse();
        assertThat(asks("c", NOW_NS + SECOND_NS)).isTrue();
    }

    /** Or a client that comes again and again would keep out the first one beside it. */
    @Test
    void aWalkForAClientThatWasAloneSaysNothingOfAnother() {
        for (int i = 0; i < EXCHANGES; i++) {
            claim("a", i, 100, 10 * SECOND_NS, 0);
        }
        assertThat(asks("a", NOW_NS)).isFalse();
        assertThat(asks("a", NOW_NS + 1)).isFalse();
        assertThat(asks("b", NOW_NS + 2)).isTrue();
    }

    @Test
    void othersAreShortForAWhileAfterTheyAsked() {
        for (int i = 0; i < EXCHANGES; i++) {
            claim(i < 8 ? "a" : "b", i, 100, SECOND_NS / 2, 0);
        }
        assertThat(shares.othersAreShort("a", NOW_NS)).isFalse();
        assertThat(asks("a", NOW_NS)).isFalse();
        assertThat(shares.othersAreShort("a", NOW_NS))
                .as("nobody else has asked")
                .isFalse();
        assertThat(asks("b", NOW_NS)).isFalse();
        assertThat(shares.othersAreShort("a", NOW_NS)).isTrue();
        assertThat(shares.othersAreShort("b", NOW_NS)).isFalse();
        assertThat(shares.isShort("b", NOW_NS)).isTrue();
        claims.removeIf(claim -> claim.client().equals("b"));
        assertThat(asks("a", NOW_NS + SECOND_NS)).isFalse();
        assertThat(shares.othersAreShort("a", NOW_NS + SECOND_NS))
                .as("who has nothing left counts")
                .isTrue();
        assertThat(shares.othersAreShort("a", NOW_NS + 10 * SECOND_NS)).isFalse();
        assertThat(shares.isShort("b", NOW_NS + 10 * SECOND_NS)).isFalse();
    }

    /** Refusals of a client that has just its share, or while all claims are young, are many a second. */
    @Test
    void looksAreTenASecondAtMost() {
        for (int i = 0; i < EXCHANGES; i++) {
            claim(i < 4 ? "a" : i < 7 ? "b" : "c", i, 100, 10 * SECOND_NS, 0);
        }
        for (int i = 0; i < 100; i++) {
            assertThat(asks("b", NOW_NS + i)).isFalse();
        }
        assertThat(looks).isOne();
        claims.clear();
        for (int i = 0; i < EXCHANGES; i++) {
            claim("a", i, 100, -9 * SECOND_NS, 0);
        }
        for (int i = 0; i < 100; i++) {
            assertThat(asks("d", NOW_NS + 9 * SECOND_NS + i)).isFalse();
        }
        assertThat(looks).isEqualTo(2);
    }
}
