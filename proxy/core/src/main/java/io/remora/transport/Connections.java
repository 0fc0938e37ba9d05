package io.remora.transport;

import io.remora.memory.Claim;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The connections of one listener on one event loop: what a drain and a change of the configuration walk.
 *
 * <p>Owner: the event loop.
 */
public final class Connections {
    private static final Drainable[] NONE = {};

    private final Set<Drainable> open = new HashSet<>();

    public void add(Drainable connection) {
        open.add(connection);
    }

    public void remove(Drainable connection) {
        open.remove(connection);
    }

    public int size() {
        return open.size();
    }

    /** Lets each connection serve a last request. */
    public void drain() {
        // a copy: one that ends leaves the set
        for (Drainable connection : open.toArray(NONE)) {
            connection.drain();
        }
    }

    /** Ends all of them, with any exchange in progress. */
    public void cut() {
        for (Drainable connection : open.toArray(NONE)) {
            connection.cut();
        }
    }

    /**
     * Returns a task that drains or cuts them, for a loop that has others to serve meanwhile.
     *
     * @param cut whether exchanges in progress are cut
     */
    public BackgroundTask ending(boolean cut) {
        return new ConnectionsEnd(open, cut);
    }

    /** All of them hold as little as they can; see {@link Drainable#shrink}. */
    public void shrink(boolean greedy) {
        for (Drainable connection : open.toArray(NONE)) {
            connection.shrink(greedy);
        }
    }

    /** All of them hold again what they may. */
    public void grow() {
        for (Drainable connection : open.toArray(NONE)) {
            connection.grow();
        }
    }

    /**
     * Cuts connections until so many bytes are free or none is left that moves too little. It begins with those that
     * hold most for the octets that they move. A call that frees nothing still records how they move, for the next
     * call.
     *
     * @return how many were cut
     */
    public int cutSlowest(long bytes, long nowNs) {
        Drainable[] all = open.toArray(NONE);
        long[] burdens = new long[all.length];
        for (int i = 0; i < all.length; i++) {
            burdens[i] = all[i].evictionScore(nowNs);
        }
        long[] sorted = burdens.clone();
        Arrays.sort(sorted);
        int cut = 0;
        long free = 0;
        for (int i = all.length - 1; i >= 0 && sorted[i] > 0 && free < bytes; i--) {
            if (i == all.length - 1 || sorted[i] != sorted[i + 1]) {
                for (int j = 0; j < all.length && free < bytes; j++) {
                    if (burdens[j] == sorted[i]) {
                        free += all[j].reclaimableBytes();
                        all[j].relieve();
                        cut++;
                    }
                }
            }
        }
        return cut;
    }

    /** Tells what all of them hold for their clients. */
    public void claims(List<Claim> into) {
        for (Drainable connection : open) {
            connection.claims(into);
        }
    }

    /**
     * Ends those that have been idle for longest: of clients that have more than their share first, and of others where these have no
     * idle ones.
     *
     * @param most that may stay, of which each client's share is a part
     * @return how many
     */
    public int shed(int count, int most) {
        return new Shedding(open, most).shed(count);
    }
}
