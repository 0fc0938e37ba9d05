package io.remora.memory;

import io.remora.config.model.LogComponent;
import io.remora.log.Log;
import io.remora.log.LogThrottle;
import io.remora.metrics.LoopMetric;
import io.remora.metrics.LoopStats;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Makes room on a full event loop for a client that has less than its fair share. The client with the largest excess
 * over its share loses its slowest claim on the scarce resource. A client that is alone may have all there is.
 *
 * <p>Owner: its event loop. Cost: nothing while there is room, as nobody has made one until then. A client that would be refused costs a walk over the
 * loop's connections. At most ten such walks a second for each {@link Shortage} come to nothing.
 */
final class FairShares {
    /** Time for which an empty walk is not repeated, and for which a client is known to have too much. */
    private static final long LOOK_NS = 100_000_000L;

    /** The least age of an exchange that ends: a younger one ends by itself, or is not known to be slow. */
    private static final long LEAST_AGE_NS = 1_000_000_000L;

    /** Time after a client with less than its share has found no room, in which others of its kind are expected. */
    private static final long CONTESTED_NS = 10_000_000_000L;

    private static final long LOG_NS = 10_000_000_000L;

    private final LoopStats stats;
    private final Claim.Source source;
    private final int loop;
    private final ClientKeys keys = new ClientKeys();
    private final LogThrottle lines = new LogThrottle(1, LOG_NS);
    private final Set<Object> greedy = new HashSet<>();
    /** Clients with all of their share at the last look, greedy ones among them. */
    private final Set<Object> sated = new HashSet<>();

    /** The shortages for which the last looks found nothing that may end. */
    private final Set<Shortage> barren = EnumSet.noneOf(Shortage.class);

    private long lookedNs;
    private long contestedNs;
    private boolean contested;
    /** The one client that had anything at the last look, null where there were more. */
    private @Nullable Object alone;

    private boolean looked;

    /**
     * @param loop the number of its loop, for the source
     */
    FairShares(LoopStats stats, Claim.Source source, int loop) {
        this.stats = stats;
        this.source = source;
        this.loop = loop;
    }

    /**
     * Ends one claim of a client that has more than its share, in favour of {@code client}, which has less.
     *
     * @param shortage the part of the memory that the client asks for
     * @param mostExchanges that the loop has room for
     * @param mostBytes of the heap that the loop may hold for peers
     * @return whether there was one to end
     */
    boolean makeRoom(Object client, Shortage shortage, int mostExchanges, long mostBytes, long nowNs) {
        Object key = keys.of(client);
        boolean isRecent = looked && nowNs - lookedNs < LOOK_NS;
        boolean sameAgain = barren.contains(shortage)
                || sated.contains(key)
                || greedy.isEmpty() && (alone == null || alone.equals(key));
        if (isRecent && sameAgain) {
            return false;
        }
        if (!isRecent) {
            barren.clear();
        }
        Map<Object, Share> shares = shares();
        shares.computeIfAbsent(key, any -> new Share(client));
        alone = shares.size() == 1 ? key : null;
        // clients that were short count, although they have nothing at the moment
        int clients = isContested(nowNs) ? Math.max(2, shares.size()) : shares.size();
        int fairExchanges = Math.max(1, mostExchanges / clients);
        long fairBytes = Math.max(1, mostBytes / clients);
        looked = true;
        lookedNs = nowNs;
        greedy.clear();
        sated.clear();
        shares.forEach((one, share) -> {
            share.weigh(fairExchanges, fairBytes);
            if (share.isGreedy()) {
                greedy.add(one);
                sated.add(one);
            } else if (share.exchanges >= fairExchanges) {
                sated.add(one);
            }
        });
        if (greedy.isEmpty() || sated.contains(key)) {
            return false;
        }
        contested = true;
        contestedNs = nowNs;
        Share most = most(shares, shortage);
        Claim ended = most == null ? null : most.least(shortage, nowNs);
        if (most == null || ended == null) {
            barren.add(shortage);
            return false;
        }
        barren.clear();
        stats.increment(LoopMetric.MEMORY_YIELDED);
        tell(most, mostExchanges, nowNs);
        ended.holder().yieldMemory();
        return true;
    }

    /**
     * Returns the client that exceeds its share of the scarce resource most; null where none does. The part of a head
     * that an exchange's endpoint has sent takes heap as well. So exchanges count where the claims show no client above
     * its share.
     */
    private static @Nullable Share most(Map<Object, Share> shares, Shortage shortage) {
        Share most = null;
        Share mostOfAny = null;
        for (Share share : shares.values()) {
            double weight = share.weight(shortage);
            if (weight > 1 && (most == null || weight > most.weight(shortage))) {
                most = share;
            }
            if (share.isGreedy() && (mostOfAny == null || share.weight() > mostOfAny.weight())) {
                mostOfAny = share;
            }
        }
        return most != null || shortage == Shortage.EXCHANGES ? most : mostOfAny;
    }

    /**
     * Returns whether another client, with less than its share, found no room within the last seconds, while this one
     * has more.
     */
    boolean othersAreShort(Object client, long nowNs) {
        return isContested(nowNs) && greedy.contains(keys.of(client));
    }

    /** Returns whether room was made within the last seconds for clients that may include this one. */
    boolean isShort(Object client, long nowNs) {
        return isContested(nowNs) && !greedy.contains(keys.of(client));
    }

    /** Returns whether a client with less than its share has found no room within the last seconds. */
    boolean isContested(long nowNs) {
        contested = contested && nowNs - contestedNs < CONTESTED_NS;
        return contested;
    }

    private void tell(Share most, int mostExchanges, long nowNs) {
        String tail = lines.tail(nowNs);
        if (tail != null) {
            Log.warn(
                    LogComponent.MEMORY,
                    "memory: no room for other clients; ending an exchange or connection of the client above its share"
                            + " client="
                            + most.name() + " exchanges=" + most.exchanges + " of=" + mostExchanges + " held_bytes="
                            + most.heldBytes + tail);
        }
    }

    private Map<Object, Share> shares() {
        List<Claim> claims = new ArrayList<>();
        source.collect(loop, claims);
        Map<Object, Share> shares = new HashMap<>();
        for (Claim claim : claims) {
            shares.computeIfAbsent(keys.of(claim.client()), any -> new Share(claim.client()))
                    .add(claim);
        }
        return shares;
    }

    /** The claims of one client together. */
    private static final class Share {
        /** The client, as the first of its claims names it. */
        private final Object client;

        private final List<Claim> claims = new ArrayList<>();
        int exchanges;
        long heldBytes;
        /** Its exchanges, in fair shares. */
        private double byExchanges;
        /** Its bytes of the heap, in fair shares. */
        private double byBytes;

        Share(Object client) {
            this.client = client;
        }

        void add(Claim claim) {
            claims.add(claim);
            exchanges += claim.exchange() ? 1 : 0;
            heldBytes += claim.heldBytes();
        }

        void weigh(int fairExchanges, long fairBytes) {
            byExchanges = (double) exchanges / fairExchanges;
            byBytes = (double) heldBytes / fairBytes;
        }

        double weight() {
            return Math.max(byExchanges, byBytes);
        }

        double weight(Shortage shortage) {
            return switch (shortage) {
                case EXCHANGES -> byExchanges;
                case HEAP -> byBytes;
                case PRESSURE -> weight();
            };
        }

        boolean isGreedy() {
            return weight() > 1;
        }

        /**
         * Returns the claim that has moved least for its age, and of several the one that holds most. Where all are
         * young, it is the oldest that is no exchange: a client that comes back all the time would have nothing else.
         * Null where there is none.
         */
        @Nullable
        Claim least(Shortage shortage, long nowNs) {
            // to end what holds little of the heap would not help
            long leastBytes = shortage == Shortage.HEAP ? heldBytes / claims.size() / 2 : 0;
            Claim least = null;
            Claim oldest = null;
            double leastPace = 0;
            for (Claim claim : claims) {
                if (claim.heldBytes() < leastBytes || shortage == Shortage.EXCHANGES && !claim.exchange()) {
                    continue;
                }
                long ageNs = nowNs - claim.sinceNs();
                if (ageNs >= LEAST_AGE_NS) {
                    double pace = (double) claim.moved() / ageNs;
                    boolean holdsMore = least != null && pace == leastPace && claim.heldBytes() > least.heldBytes();
                    if (least == null || pace < leastPace || holdsMore) {
                        least = claim;
                        leastPace = pace;
                    }
                } else if (!claim.exchange() && (oldest == null || ageNs > nowNs - oldest.sinceNs())) {
                    oldest = claim;
                }
            }
            return least == null ? oldest : least;
        }

        String name() {
            return client instanceof String text ? text : "(a connection)";
        }
    }
}
