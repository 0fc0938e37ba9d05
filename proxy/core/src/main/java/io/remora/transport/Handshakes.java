package io.remora.transport;

import io.remora.memory.HandshakeBudget;

/**
 * The clients' handshakes that are under way on one event loop, by client. Where there is no room for another one, the client that
 * has most loses its longest: to a client that has fewer at once, so that none locks out the others, and else where that one has had
 * its time, as silent clients must not lock out those who speak. Otherwise the newcomer is refused.
 *
 * <p>A connection whose client a proxy is about to name is not judged by the proxy's address: it finds room beyond the bound, and its
 * header decides. Where that room is taken too, connections without their header make room for each other by the same rule.
 *
 * <p>Owner: its event loop. Cost: an entry in a table for each; a walk over the clients where there is no room. Bounds: what the loop's
 * memory allows for.
 */
final class Handshakes {
    /** Enough for two round trips. */
    private static final long TIME_NS = 1_000_000_000L;

    private final HandshakeBudget budget;
    private final ClientHandshakes named = new ClientHandshakes();
    /** Connections by their proxy's address, until the header has come. */
    private final ClientHandshakes unnamed = new ClientHandshakes();

    Handshakes(HandshakeBudget budget) {
        this.budget = budget;
    }

    /**
     * Begins one that owes {@link #ended}.
     *
     * @param isNamed whether its client is known; else it also owes {@link #comesFrom}
     * @return whether it may begin
     */
    boolean begin(OneHandshake one, boolean isNamed, long nowNs) {
        if (!budget.begin(isNamed) && !(cutFor(one, isNamed, nowNs) && budget.begin(isNamed))) {
            return false;
        }
        (isNamed ? named : unnamed).add(one);
        return true;
    }

    /**
     * Counts it as this client's from now on.
     *
     * @return whether it may go on; where not it is cut
     */
    boolean comesFrom(OneHandshake one, Object client, long nowNs) {
        if (!unnamed.remove(one)) {
            return false;
        }
        one.client(client);
        if (budget.name() || cutFor(one, true, nowNs) && budget.name()) {
            named.add(one);
            return true;
        }
        budget.ended(false);
        one.cut();
        return false;
    }

    /** Cuts one that is in the way of this one, if that is fair; tells whether it has. */
    private boolean cutFor(OneHandshake one, boolean isNamed, long nowNs) {
        budget.cut();
        boolean isShort = budget.isShort();
        ClientHandshakes inTheWay = isShort || isNamed && budget.isFullOfNamed() ? named : unnamed;
        OneHandshake longest = inTheWay.longestOfMost(null);
        if (longest == null) {
            return false;
        }
        boolean fewer = !isShort && inTheWay.count(one, null) + 1 < inTheWay.count(longest, null);
        if (!fewer && nowNs - longest.beganNs() < TIME_NS) {
            return false;
        }
        longest.cut();
        return true;
    }

    /**
     * Cuts one of the same listener, whose own bound is reached, for a client that has fewer of them.
     *
     * @return whether it has
     */
    boolean makeRoom(OneHandshake one) {
        OneHandshake longest = named.longestOfMost(one.listener());
        if (longest == null || named.count(one, one.listener()) >= named.count(longest, one.listener())) {
            return false;
        }
        longest.cut();
        return true;
    }

    /** Counts the end of a handshake, for any reason; further calls change nothing. */
    void ended(OneHandshake one) {
        if (named.remove(one)) {
            budget.ended(true);
        } else if (unnamed.remove(one)) {
            budget.ended(false);
        }
    }
}
