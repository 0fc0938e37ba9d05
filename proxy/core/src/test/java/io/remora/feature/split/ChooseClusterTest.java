package io.remora.feature.split;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.balance.Draw;
import io.remora.balance.Hash;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Where a sticky client falls among the clusters of a route, beside what hashing balancers make of the same client. */
final class ChooseClusterTest {
    private static final int KEYS = 4_096;
    private static final int PARTS = 16;

    /** A sixteenth of all places. */
    private static int part(long hash) {
        return (int) (hash >>> 60);
    }

    /**
     * Whoever has come to a small cluster is at any place of its balancer's table, and in any of its tiers: with the same bits the
     * canary's clients would all fall on the same part of both.
     */
    @Test
    void thePlaceAmongClustersTellsNothingOfTheEndpoint() {
        Set<Integer> inTable = new HashSet<>();
        Set<Integer> inTiers = new HashSet<>();
        int canary = 0;
        for (int i = 0; i < KEYS; i++) {
            long hash = Hash.of("client-" + i);
            if (part(ChooseCluster.placeOf(hash)) == 0) {
                canary++;
                inTable.add(part(hash));
                inTiers.add(part(Draw.mix(hash)));
            }
        }
        assertThat(canary).isBetween(KEYS / PARTS / 2, KEYS / PARTS * 2);
        assertThat(inTable).hasSize(PARTS);
        assertThat(inTiers).hasSize(PARTS);
    }
}
