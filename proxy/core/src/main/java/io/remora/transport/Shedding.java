package io.remora.transport;

import io.remora.memory.ClientKeys;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A choice among the connections of a listener, some of which have to go, as there is no room for all.
 *
 * <p>Owner: the event loop. Cost: an object for each idle connection, and for each client.
 */
final class Shedding {
    /** The longest idle one first. */
    private final List<Idle> idle = new ArrayList<>();
    /** Number of connections that have ended, by themselves or not. */
    private int gone;

    private int shed;

    /**
     * @param most of the connections that may stay
     */
    Shedding(Iterable<Drainable> open, int most) {
        ClientKeys keys = new ClientKeys();
        Map<Object, Share> shares = new HashMap<>();
        for (Drainable connection : open) {
            Share share = shares.computeIfAbsent(keys.of(connection.client()), any -> new Share());
            share.excess++;
            long sinceNs = connection.idleSinceNs();
            if (sinceNs != Long.MAX_VALUE) {
                idle.add(new Idle(connection, sinceNs, share));
            }
        }
        int fair = most / Math.max(1, shares.size());
        shares.values().forEach(share -> share.excess -= fair);
        Collections.sort(idle);
    }

    /** Ends one after the other, those of clients with more than their share first; returns how many. */
    int shed(int count) {
        end(count, true);
        if (gone == 0) {
            end(count, false);
        }
        return shed;
    }

    private void end(int count, boolean fairly) {
        for (int i = 0; i < idle.size() && gone < count; i++) {
            Idle one = idle.get(i);
            if ((!fairly || one.mayGo()) && !one.spared && one.rests()) {
                end(one);
            }
        }
    }

    // a newcomer may not have been read yet
    private void end(Idle one) {
        Drainable.AfterRead found = one.connection.readBeforeEnd();
        if (found == Drainable.AfterRead.ANSWERS) {
            one.spared = true;
            return;
        }
        one.share.excess--;
        gone++;
        if (found == Drainable.AfterRead.RESTS) {
            one.connection.relieve();
            shed++;
        }
    }

    private static final class Idle implements Comparable<Idle> {
        private final Drainable connection;
        private final long sinceNs;
        private final Share share;
        /** Set once a read has found a request, with whose response it may linger. */
        private boolean spared;

        Idle(Drainable connection, long sinceNs, Share share) {
            this.connection = connection;
            this.sinceNs = sinceNs;
            this.share = share;
        }

        /** Tells if it may close: a connection that only waits for the peer's end is of no use to its client. */
        boolean mayGo() {
            return share.excess > 0 || sinceNs == Drainable.LINGERS;
        }

        boolean rests() {
            return connection.idleSinceNs() != Long.MAX_VALUE;
        }

        @Override
        public int compareTo(Idle other) {
            return Long.compare(sinceNs, other.sinceNs);
        }
    }

    /** One client's connections. */
    private static final class Share {
        /** Number of connections beyond its share. */
        private int excess;
    }
}
