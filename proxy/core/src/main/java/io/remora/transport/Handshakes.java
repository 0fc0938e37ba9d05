package io.remora.transport;

import io.remora.memory.ClientKeys;
import io.remora.memory.HandshakeBudget;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The clients' handshakes that are under way on one event loop, by client. Where there is no room for another one, the client that
 * has most loses its longest: to a client that has fewer at once, so that none locks out the others, and else where that one has had
 * its time, as silent clients must not lock out those who speak. Otherwise the newcomer is refused.
 *
 * <p>Owner: its event loop. Cost: an entry in a set for each, and a set for each client; a walk over the clients where there is no
 * room. Bounds: what the loop's memory allows for.
 */
final class Handshakes {
    /** Enough for two round trips. */
    private static final long TIME_NS = 1_000_000_000L;

    private final HandshakeBudget budget;
    private final ClientKeys keys = new ClientKeys();
    /** Each client's in the order in which they became its own. */
    private final Map<Object, Set<OneHandshake>> underWay = new HashMap<>();

    Handshakes(HandshakeBudget budget) {
        this.budget = budget;
    }

    /** Whether it may begin; it owes {@link #ended} then. */
    boolean begin(OneHandshake one, long nowNs) {
        if (!budget.begin()) {
            budget.cut();
            OneHandshake longest = longestOfMost(null);
            if (longest == null) {
                return false;
            }
            boolean fewer = budget.isFull() && count(one, null) + 1 < count(longest, null);
            if (!fewer && nowNs - longest.beganNs() < TIME_NS) {
                return false;
            }
            longest.cut();
            if (!budget.begin()) {
                return false;
            }
        }
        add(one);
        return true;
    }

    /** Counts it as this client's from now on. */
    void comesFrom(OneHandshake one, Object client) {
        boolean known = remove(one);
        one.client(client);
        if (known) {
            add(one);
        }
    }

    /**
     * Cuts one of the same listener, whose own bound is reached, for a client that has fewer of them.
     *
     * @return whether it has
     */
    boolean makeRoom(OneHandshake one) {
        OneHandshake longest = longestOfMost(one.listener());
        if (longest == null || count(one, one.listener()) >= count(longest, one.listener())) {
            return false;
        }
        longest.cut();
        return true;
    }

    /** One is over, however it ended; more than once is as good as once. */
    void ended(OneHandshake one) {
        if (remove(one)) {
            budget.ended();
        }
    }

    private void add(OneHandshake one) {
        Object key = keys.of(one.client());
        Set<OneHandshake> own = underWay.get(key);
        if (own == null) {
            own = new LinkedHashSet<>();
            underWay.put(key, own);
        }
        own.add(one);
    }

    private boolean remove(OneHandshake one) {
        Object key = keys.of(one.client());
        Set<OneHandshake> own = underWay.get(key);
        if (own == null || !own.remove(one)) {
            return false;
        }
        if (own.isEmpty()) {
            underWay.remove(key);
        }
        return true;
    }

    private int count(OneHandshake one, @Nullable Object listener) {
        Set<OneHandshake> own = underWay.get(keys.of(one.client()));
        return own == null ? 0 : count(own, listener);
    }

    /** Counts all of them, or those that one listener counts. */
    private static int count(Set<OneHandshake> own, @Nullable Object listener) {
        if (listener == null) {
            return own.size();
        }
        int count = 0;
        for (OneHandshake one : own) {
            count += one.countsFor(listener) ? 1 : 0;
        }
        return count;
    }

    /** Returns the longest handshake of the client that has most, of several the longest of all; null where there is none. */
    private @Nullable OneHandshake longestOfMost(@Nullable Object listener) {
        OneHandshake longest = null;
        int most = 0;
        for (Set<OneHandshake> own : underWay.values()) {
            int count = count(own, listener);
            OneHandshake first = count == 0 || count < most ? null : first(own, listener);
            if (first != null && (count > most || longest == null || first.beganNs() - longest.beganNs() < 0)) {
                longest = first;
                most = count;
            }
        }
        return longest;
    }

    private static @Nullable OneHandshake first(Set<OneHandshake> own, @Nullable Object listener) {
        for (OneHandshake one : own) {
            if (listener == null || one.countsFor(listener)) {
                return one;
            }
        }
        return null;
    }

    /** One of them. */
    interface OneHandshake {
        long beganNs();

        /** Returns its client: the address that is known so far. */
        Object client();

        void client(Object known);

        /** Identifies its listener, as several share a loop. */
        Object listener();

        /** Tells if that listener counts it among its handshakes in flight: it has begun, and has not failed. */
        boolean countsFor(Object listener);

        /** Ends it at once, and tells so. */
        void cut();
    }
}
