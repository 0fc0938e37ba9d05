package io.remora.webhook;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Room for the bodies of a port's requests, taken as their octets arrive. A body that finds none waits until there is
 * room for all of it, or until it is the first. Only the first may grow to the largest size. A body thus waits once. The
 * next one is of the client that holds least.
 *
 * <p>Owner: the event loop. Bounds: twice the largest body, next to {@value #SMALL_OCTETS} octets of each connection; 2
 * seconds for a body that has room while others wait.
 */
final class BodyRoom {
    /** Size up to which a body takes no room. */
    private static final long SMALL_OCTETS = 64 << 10;

    private static final long SHORT_NS = TimeUnit.SECONDS.toNanos(2);

    private final long mostOctets;
    private final Set<Share> shares = new LinkedHashSet<>();
    private final ArrayDeque<Share> waiting = new ArrayDeque<>();
    private long freeOctets;
    /** Set while one of the shares is the first. */
    private boolean hasFirst;

    /**
     * @param mostOctets of a body
     */
    BodyRoom(long mostOctets) {
        this.mostOctets = mostOctets;
        this.freeOctets = mostOctets;
    }

    /** Connection that takes room. */
    interface Holder {
        Object client();

        void read(boolean reads);
    }

    private boolean give(Share share, long octets) {
        long missing = octets - share.heldOctets;
        if (missing <= freeOctets) {
            freeOctets -= missing;
            share.heldOctets = octets;
        } else if (hasFirst) {
            return false;
        } else {
            hasFirst = true;
            share.first = true;
        }
        shares.add(share);
        return true;
    }

    private void serve() {
        while (!waiting.isEmpty()) {
            Share next = ofLeast();
            if (!give(next, next.wholeOctets)) {
                return;
            }
            waiting.remove(next);
            next.waits = false;
            next.sinceNs = System.nanoTime();
            next.holder.read(true);
        }
    }

    private Share ofLeast() {
        Map<Object, Long> held = new HashMap<>();
        for (Share one : shares) {
            Object client = one.holder.client();
            held.put(client, held.getOrDefault(client, 0L) + one.heldOctets + (one.first ? mostOctets : 0));
        }
        Share found = waiting.element();
        long least = Long.MAX_VALUE;
        for (Share one : waiting) {
            long its = held.getOrDefault(one.holder.client(), 0L);
            if (its < least) {
                least = its;
                found = one;
            }
        }
        return found;
    }

    /** The room of one connection. */
    final class Share {
        private final Holder holder;
        private long wholeOctets;
        private long heldOctets;
        private long sinceNs;
        private boolean first;
        private boolean waits;

        Share(Holder holder) {
            this.holder = holder;
        }

        /**
         * Takes room for so many octets in all, or has the connection rest until there is some for the whole body.
         *
         * @param whole octets of the body at most
         */
        void take(long octets, long whole) {
            long wanted = Math.min(octets, whole);
            wholeOctets = whole;
            if (wanted <= SMALL_OCTETS || wanted <= heldOctets || first || waits) {
                return;
            }
            if (heldOctets == 0) {
                sinceNs = System.nanoTime();
            }
            if (!give(this, wanted)) {
                waits = true;
                waiting.add(this);
                holder.read(false);
            }
        }

        /** Returns whether its time is over, as others wait. */
        boolean isOverdue(long nowNs) {
            return !waiting.isEmpty() && !waits && (heldOctets > 0 || first) && nowNs - sinceNs >= SHORT_NS;
        }

        /** Gives all of it back. */
        void giveBack() {
            freeOctets += heldOctets;
            heldOctets = 0;
            hasFirst = hasFirst && !first;
            first = false;
            shares.remove(this);
            if (waits) {
                waits = false;
                waiting.remove(this);
                holder.read(true);
            }
            serve();
        }
    }
}
