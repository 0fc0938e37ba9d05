package io.remora.transport;

import io.remora.memory.HandshakeBudget;
import java.util.Iterator;
import java.util.LinkedHashSet;

/**
 * The clients' handshakes that are under way on one event loop. Where there is no memory for another one, the one that has
 * taken longest makes room, if it has had its time: silent clients must not lock out those who speak. Else the newcomer is
 * refused.
 *
 * <p>Owner: its event loop. Bounds: what the loop's memory allows for.
 */
final class Handshakes {
    /** Enough for two round trips. */
    private static final long TIME_NS = 1_000_000_000L;

    private final HandshakeBudget budget;
    /** In the order in which they began. */
    private final LinkedHashSet<OneHandshake> underWay = new LinkedHashSet<>();

    Handshakes(HandshakeBudget budget) {
        this.budget = budget;
    }

    /** Whether it may begin; it owes {@link #ended} then. */
    boolean begin(OneHandshake one, long nowNs) {
        if (!budget.begin()) {
            budget.cut();
            Iterator<OneHandshake> longest = underWay.iterator();
            if (!longest.hasNext()) {
                return false;
            }
            OneHandshake first = longest.next();
            if (nowNs - first.beganNs() < TIME_NS) {
                return false;
            }
            first.cut();
            if (!budget.begin()) {
                return false;
            }
        }
        underWay.add(one);
        return true;
    }

    /** One is over, however it ended; more than once is as good as once. */
    void ended(OneHandshake one) {
        if (underWay.remove(one)) {
            budget.ended();
        }
    }

    /** One of them. */
    interface OneHandshake {
        long beganNs();

        /** Ends it at once, and tells so. */
        void cut();
    }
}
