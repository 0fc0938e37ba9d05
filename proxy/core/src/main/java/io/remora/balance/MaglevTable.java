package io.remora.balance;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which node a hash leads to: a table that each node fills in an order of its own, in turns (Eisenbud et al.: Maglev,
 * section 3.4). A node that goes leaves its places to the others, and few other places change hands. Immutable.
 *
 * <p>Bounds: 65,537 places of two bytes, ten times as many for more than 2,048 nodes. The number must not go with that of
 * the nodes, because every hash would lead elsewhere with each that comes or goes.
 */
final class MaglevTable {
    /** What a place can name. */
    static final int MAX_NODES = Character.MAX_VALUE;

    /** Both are prime, and are those that the paper measures. */
    private static final int PLACES = 65_537;

    private static final int MORE_PLACES = 655_373;
    private static final int MANY_NODES = 2_048;
    private static final char FREE = Character.MAX_VALUE;

    private final char[] places;

    /**
     * @param nodes one or more, in an order that all sidecars share
     */
    MaglevTable(List<? extends Node> nodes) {
        places = new char[nodes.size() > MANY_NODES ? MORE_PLACES : PLACES];
        Arrays.fill(places, FREE);
        int[] at = new int[nodes.size()];
        int[] step = new int[nodes.size()];
        for (int i = 0; i < at.length; i++) {
            long hash = Hash.of(nodes.get(i).name());
            at[i] = below(hash, places.length);
            step[i] = 1 + below(Draw.mix(hash), places.length - 1);
        }
        fill(turns(nodes), at, step);
    }

    private static @Nullable Schedule<Node> turns(List<? extends Node> nodes) {
        return Shares.areEqual(nodes) ? null : new Schedule<>(List.copyOf(nodes), null, 0);
    }

    private void fill(@Nullable Schedule<Node> turns, int[] at, int[] step) {
        int turn = 0;
        for (int left = places.length; left > 0; left--) {
            int node = turns == null ? turn : turns.nextIndex(0);
            turn = turn + 1 == at.length ? 0 : turn + 1;
            int place = at[node];
            while (places[place] != FREE) {
                place = next(place, step[node]);
            }
            places[place] = (char) node;
            at[node] = next(place, step[node]);
        }
    }

    private int next(int place, int step) {
        int next = place + step;
        return next < places.length ? next : next - places.length;
    }

    /** The index of the node that this hash leads to. O(1). */
    int at(long hash) {
        return places[below(hash, places.length)];
    }

    int size() {
        return places.length;
    }

    int node(int place) {
        return places[place];
    }

    private static int below(long hash, int bound) {
        return (int) ((hash >>> 32) * bound >>> 32);
    }
}
