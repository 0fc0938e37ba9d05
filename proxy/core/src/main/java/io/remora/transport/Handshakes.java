package io.remora.transport;

import io.remora.memory.HandshakeBudget;
import java.util.ArrayDeque;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * The clients' handshakes of one event loop, by client. A connection is silent until its client's first octets of TLS, and
 * speaking from then on, when the handshake takes memory.
 *
 * <p>Where silent connections have no room, the client that has most loses its longest: a client of TLS speaks as soon as it
 * is connected, however far away it is, so that a silence says more the longer it lasts. Where speaking ones have no room, a
 * newcomer replaces the longest handshake of the client that has most, if its own client has fewer, or if that one has had its
 * time. Otherwise the newcomer waits, with its octets and without a state of TLS. The newest of the client with the fewest
 * handshakes is admitted first, as clients give up and those who came last have waited least. The client with most loses its
 * longest where too many wait.
 *
 * <p>A connection whose client a proxy is about to name is silent, too, and counts as the proxy's until then.
 *
 * <p>Owner: its event loop. Cost: an entry in a table for each; a walk over the clients where there is no room, and over those
 * that wait where a place becomes free. Bounds: what the loop's memory allows for.
 */
final class Handshakes {
    /** Enough for two round trips. */
    private static final long TIME_NS = 1_000_000_000L;
    /** Enough for a round trip around the world, where more wait than have places. */
    static final long LEAST_TIME_NS = TIME_NS / 4;

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
     * Begins one that owes {@link #ended}.
     *
     * @return whether it may begin
     */
    boolean begin(OneHandshake one) {
        if (!budget.begin() && !(cutLongest(silent) && budget.begin())) {
            return false;
        }
        silent.add(one);
        return true;
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
        if (admitNow(one, nowNs)) {
            return true;
        }
        if (budget.await() || cutLongest(waiting) && budget.await()) {
            silent.remove(one);
            waiting.add(one);
            queue.add(one);
        } else {
            one.cut();
        }
        return false;
    }

    /** Tries again for one that waits, as others may have had their time meanwhile. */
    void retry(OneHandshake one, long nowNs) {
        if (budget.hasPlace() || cutSpeaking(one, nowNs) && budget.hasPlace()) {
            admit(one);
        }
    }

    private void admit(OneHandshake one) {
        leaveWaiting(one);
        budget.speak();
        speaking.add(one);
        one.admit();
    }

    private boolean admitNow(OneHandshake one, long nowNs) {
        if (!budget.speak() && !(cutSpeaking(one, nowNs) && budget.speak())) {
            return false;
        }
        silent.remove(one);
        speaking.add(one);
        return true;
    }

    private boolean cutLongest(ClientHandshakes of) {
        budget.cut();
        OneHandshake longest = budget.isShort() ? null : of.longestOfMost(null);
        if (longest != null) {
            longest.cut();
        }
        return longest != null;
    }

    /** Cuts one that is in the way of this one, if that is fair; tells whether it has. */
    private boolean cutSpeaking(OneHandshake one, long nowNs) {
        OneHandshake longest = speaking.longestOfMost(null);
        if (longest == null) {
            return false;
        }
        boolean fewer = !budget.isShort() && speaking.count(one, null) + 1 < speaking.count(longest, null);
        if (!fewer && nowNs - longest.beganNs() < (budget.isContended() ? LEAST_TIME_NS : TIME_NS)) {
            return false;
        }
        budget.cut();
        // its place is this one's
        boolean before = admits;
        admits = true;
        try {
            longest.cut();
        } finally {
            admits = before;
        }
        return true;
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
        longest.cut();
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
            budget.awaited();
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
