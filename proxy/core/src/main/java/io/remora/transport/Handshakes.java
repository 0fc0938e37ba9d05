package io.remora.transport;

import io.remora.memory.HandshakeBudget;
import java.util.ArrayDeque;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * The clients' handshakes of one event loop, by client. A connection is silent until its client's first octets of TLS. It then
 * speaks, if there is room for a handshake, or waits for room with its octets and without a state of TLS.
 *
 * <p>Where there is no room for another silent connection, the client that has most loses its longest one. It is read first, as
 * its octets may have come since. A client of TLS speaks as soon as it is connected, however far away it is. While the loop is
 * behind with accepting, a newcomer of that client is cut instead if it is still silent.
 *
 * <p>Where there is no room for another handshake, it replaces the longest one of the client that has most. This is fair if its
 * own client has fewer, or if that handshake has had its time; else it waits. The newest connection of the client with the
 * fewest handshakes is admitted first, as clients give up. Where too many wait, the client that has most loses its longest one.
 *
 * <p>A connection whose client a proxy is about to name is silent, too, and counts as the proxy's until then.
 *
 * <p>Owner: its event loop. Cost: an entry in a table for each; a walk over the clients where there is no room, and over those
 * that wait where a place becomes free. Bounds: what the loop's memory allows for.
 */
final class Handshakes {
    /** Enough for two round trips. */
    static final long TIME_NS = 1_000_000_000L;

    private final HandshakeBudget budget;
    private final ClientHandshakes speaking = new ClientHandshakes();
    private final ClientHandshakes silent = new ClientHandshakes();
    private final ClientHandshakes waiting = new ClientHandshakes();
    /** The same, in the order in which their clients spoke. */
    private final ArrayDeque<OneHandshake> queue = new ArrayDeque<>(0);
    /** Set while places are given to those that wait, as one that fails at once leaves its place to the next. */
    private boolean admits;

    Handshakes(HandshakeBudget budget) {
        this.budget = budget;
    }

    /**
     * Begins one that owes {@link #ended}, and {@link #makeSilentRoom} once it can be read.
     *
     * @return whether it may begin
     */
    boolean begin(OneHandshake one) {
        if (!budget.begin()) {
            budget.cut();
            return false;
        }
        silent.add(one);
        return true;
    }

    /**
     * Makes room for one that has begun, where there are more silent ones than fit.
     *
     * @param late whether it has waited in a long backlog. If its client has most, it is read, and cut if it is silent. This
     *     takes less work than cutting another one
     */
    void makeSilentRoom(OneHandshake one, boolean late) {
        if (late && !budget.silentFit() && silent.isOfMost(one)) {
            one.readNow();
            // a proxy may have named another client
            if (silent.contains(one) && silent.isOfMost(one)) {
                budget.cut();
                one.cutUnanswered();
            }
        }
        while (!budget.silentFit()) {
            OneHandshake longest = silent.longestOfMost(null);
            if (longest == null) {
                return;
            }
            longest.readNow();
            if (silent.contains(longest) && silent.longestOfMost(null) == longest) {
                budget.cut();
                longest.cutUnanswered();
            }
        }
    }

    /** Counts a silent one as this client's from now on. */
    void comesFrom(OneHandshake one, Object client) {
        if (silent.remove(one)) {
            one.client(client);
            silent.add(one);
        }
    }

    /**
     * Counts one as speaking from now on.
     *
     * @return whether it may go on; where not it waits for {@link OneHandshake#admit}, or was cut
     */
    boolean speaks(OneHandshake one, long nowNs) {
        if (!silent.contains(one)) {
            return false;
        }
        if (hasPlaceFor(one, nowNs)) {
            silent.remove(one);
            budget.admit();
            speaking.add(one);
            return true;
        }
        int octets = one.waitingOctets();
        if (budget.await(octets) || cutLongestWaiting() && budget.await(octets)) {
            silent.remove(one);
            waiting.add(one);
            queue.add(one);
        } else {
            budget.cut();
            one.cutUnanswered();
        }
        return false;
    }

    /** Tries again for one that waits, as others may have had their time meanwhile. */
    void retry(OneHandshake one, long nowNs) {
        if (hasPlaceFor(one, nowNs)) {
            admit(one);
        }
    }

    private boolean hasPlaceFor(OneHandshake one, long nowNs) {
        return budget.hasPlace() || cutSpeaking(one, nowNs) && budget.hasPlace();
    }

    private void admit(OneHandshake one) {
        leaveWaiting(one);
        budget.admit();
        speaking.add(one);
        one.admit();
    }

    private boolean cutLongestWaiting() {
        OneHandshake longest = budget.isShort() ? null : waiting.longestOfMost(null);
        if (longest != null) {
            budget.cut();
            longest.cutUnanswered();
        }
        return longest != null;
    }

    /** Cuts one that is in the way of this one, if that is fair; tells whether it has. */
    private boolean cutSpeaking(OneHandshake one, long nowNs) {
        OneHandshake longest = budget.isShort() ? null : speaking.longestOfMost(null);
        if (longest == null) {
            return false;
        }
        boolean fewer = speaking.count(one, null) + 1 < speaking.count(longest, null);
        if (!fewer && nowNs - longest.beganNs() < TIME_NS) {
            return false;
        }
        budget.cut();
        cutFor(longest);
        return true;
    }

    /** Cuts one whose place is not for those that wait. */
    private void cutFor(OneHandshake longest) {
        boolean before = admits;
        admits = true;
        try {
            longest.cut(Handshake.Cut.MEMORY);
        } finally {
            admits = before;
        }
    }

    /**
     * Cuts one of the same listener, whose own bound is reached, for a client that has fewer of them.
     *
     * @return whether it has
     */
    boolean makeRoom(OneHandshake one) {
        OneHandshake longest = speaking.longestOfMost(one.listener());
        if (longest == null || speaking.count(one, one.listener()) >= speaking.count(longest, one.listener())) {
            return false;
        }
        // this one has its own place, so that the one that becomes free is for those that wait
        longest.cut(Handshake.Cut.PLACE);
        return true;
    }

    /** Counts the end of a handshake, for any reason; further calls change nothing. */
    void ended(OneHandshake one) {
        if (speaking.remove(one)) {
            budget.ended(true);
            admitWaiting();
        } else if (leaveWaiting(one) || silent.remove(one)) {
            budget.ended(false);
        }
    }

    private boolean leaveWaiting(OneHandshake one) {
        boolean waited = waiting.remove(one);
        if (waited) {
            queue.remove(one);
            budget.awaited(one.waitingOctets());
        }
        return waited;
    }

    private void admitWaiting() {
        if (admits) {
            return;
        }
        admits = true;
        try {
            OneHandshake next = nextWaiting();
            while (next != null && budget.hasPlace()) {
                admit(next);
                next = nextWaiting();
            }
        } finally {
            admits = false;
        }
    }

    private @Nullable OneHandshake nextWaiting() {
        OneHandshake next = null;
        int fewest = Integer.MAX_VALUE;
        Iterator<OneHandshake> newestFirst = queue.descendingIterator();
        while (newestFirst.hasNext() && fewest > 0) {
            OneHandshake one = newestFirst.next();
            int count = speaking.count(one, null);
            if (count < fewest) {
                next = one;
                fewest = count;
            }
        }
        return next;
    }
}
