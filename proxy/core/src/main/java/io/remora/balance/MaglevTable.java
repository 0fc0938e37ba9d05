package io.remora.balance;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A table that leads each hash to a node. Each node fills it in an order of its own, in turns (Eisenbud et al.: Maglev,
 * section 3.4). A node that goes leaves its places to the others, and few other places change hands. Immutable once it
 * is full.
 *
 * <p>Bounds: 65,537 places of two bytes, ten times as many for more than 2,048 nodes. The number must not go with that
 * of the nodes, because every hash would lead elsewhere with each that comes or goes.
 */
final class MaglevTable {
    /** The most nodes that a place of two bytes can name. */
    static final int MAX_NODES = Character.MAX_VALUE;

    /** The numbers of places. Both are prime, and are those that the paper measures. */
    private static final int PLACES = 65_537;

    private static final int MORE_PLACES = 655_373;
    private static final int MANY_NODES = 2_048;
    private static final char FREE = Character.MAX_VALUE;
    private static final int[] NONE = {};

    private final char[] places;
    /** The number of free places. */
    private int free;

    // what is needed until it is full
    private @Nullable Schedule<BalancerNode> turns;
    private int[] at;
    private int[] step;
    private int turn;

    /**
     * An empty one.
     *
     * @param nodes one or more, in an order that all sidecars share
     */
    MaglevTable(List<? extends BalancerNode> nodes) {
        places = new char[nodes.size() > MANY_NODES ? MORE_PLACES : PLACES];
        Arrays.fill(places, FREE);
        free = places.length;
        turns = turns(nodes);
        at = new int[nodes.size()];
        step = new int[nodes.size()];
        for (int i = 0; i < at.length; i++) {
            long hash = Hash.of(nodes.get(i).name());
            at[i] = below(hash, places.length);
            step[i] = 1 + below(Draw.mix(hash), places.length - 1);
        }
    }

    private static @Nullable Schedule<BalancerNode> turns(List<? extends BalancerNode> nodes) {
        return BalancerNode.weighAlike(nodes) ? null : new Schedule<>(List.copyOf(nodes), null, 0);
    }

    boolean isFull() {
        return free == 0;
    }

    /** Fills up to so many places. */
    void fill(int most) {
        for (int left = Math.min(most, free); left > 0; left--) {
            int node = turns == null ? turn : turns.nextIndex(0);
            turn = turn + 1 == at.length ? 0 : turn + 1;
            int place = at[node];
            while (places[place] != FREE) {
                place = next(place, step[node]);
            }
            places[place] = (char) node;
            free--;
            at[node] = next(place, step[node]);
        }
        if (free == 0) {
            turns = null;
            at = NONE;
            step = NONE;
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
