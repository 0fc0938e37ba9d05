package io.remora.memory;

import io.remora.metrics.LoopMetric;
import io.remora.metrics.LoopStats;
import org.jspecify.annotations.Nullable;

/**
 * One event loop's share of the memory that traffic may take: admits exchanges with a grant, and holds connections and
 * heads to their bounds.
 *
 * <p>A grant is what each socket buffer and each write queue of the exchange may hold. The worst case of a grant is
 * reserved until its return, so that the sum of all grants always fits.
 *
 * <p>Owner: its event loop; the watch reads what it publishes. Cost: a few additions an exchange.
 */
public final class LoopBudget {
    /** The least grant. */
    public static final int LEAST = MemoryPlan.LEAST_GRANT;

    /** The largest grant: it fills a link of 100 Mbit/s over 20 ms. */
    private static final int MOST = 256 << 10;

    /** Claims that end for one exchange, which may ask for more than one of them held. */
    private static final int MOST_YIELDS = 4;

    /** Further exchanges that must find room for the same grant, or the grant is too large. */
    private static final int FOLLOWERS = 32;

    /** The reserve is one part in this many of the heap that may be held. */
    private static final int RESERVE = 5;

    private final MemoryWatch watch;
    private final LoopStats stats;
    private final MemoryCosts costs;
    private final int number;
    private final int loops;
    private final int connectionBytes;
    private final int exchangeBytes;
    private final boolean unlimited;
    private final int receiveBytes;
    /** Volatile, as the watch reads it, and a limit that changes has it written. */
    private volatile long poolBytes;

    private long busyBytes;
    private long maxHeldBytes;
    /** Heap for heads less one reserve, which unfinished sections leave to whole ones, and greedy clients to others. */
    private long unreservedHeldBytes;

    private int maxConnections;
    private volatile int maxExchanges;
    /** Bytes of the heap for all loops together, endpoints among it. */
    private volatile long heapRoomBytes;

    /** Null while no handshake takes memory. */
    private @Nullable HandshakeBudget handshakes;

    private Claim.@Nullable Source claims;
    /** Null until there was no room for somebody. */
    private @Nullable FairShares shares;

    private long reservedBytes;
    private long heldBytes;
    /** Bytes among {@link #heldBytes} of sections that clients have not sent whole. */
    private long unfinishedBytes;

    private int connections;
    private int exchanges;
    /** True once the loop has served anybody since the watch looked last. */
    private volatile boolean served;

    /**
     * @param number of the loop, from 0
     * @param loops among which the plan is divided
     */
    LoopBudget(MemoryPlan plan, int number, int loops, MemoryWatch watch, LoopStats stats) {
        this.watch = watch;
        this.stats = stats;
        this.unlimited = plan.limit().bytes() == 0;
        this.receiveBytes = plan.receiveBytes();
        this.costs = plan.costs();
        this.connectionBytes = costs.connectionBytes();
        this.exchangeBytes = costs.exchange().bytes();
        this.number = number;
        this.loops = loops;
        bound(plan);
    }

    private void bound(MemoryPlan plan) {
        if (handshakes != null) {
            handshakes.divide(plan, loops);
        } else if (plan.handshakePoolBytes() > 0) {
            handshakes = handshakes(plan);
        }
        poolBytes = plan.poolBytes() / loops;
        busyBytes = poolBytes / 3;
        maxHeldBytes = plan.heldBytes() / loops;
        unreservedHeldBytes = maxHeldBytes - maxHeldBytes / RESERVE;
        maxConnections = Math.max(1, plan.connections() / loops);
        maxExchanges = Math.max(1, plan.exchanges() / loops);
        heapRoomBytes = Math.max(1, plan.heapRoomBytes());
    }

    /** Has another plan's bounds from now on; what exceeds them goes on until it ends, or pressure ends it. */
    public void divide(MemoryPlan plan) {
        bound(plan);
    }

    /** Returns the most bytes that an exchange with this grant takes, for sockets of the plan's size. */
    public long reserved(int grant) {
        return MemoryPlan.reserved(grant, receiveBytes) + exchangeBytes;
    }

    /**
     * Bytes that a socket may hold unread; 0 leaves it to the kernel. It has to be set before a connection is made: a
     * window that is taken back later makes the peer wait for its probe timer.
     */
    public int receiveBytes() {
        return receiveBytes;
    }

    /** Bytes that a socket may hold for a slow peer, with a grant; 0 leaves it to the kernel. */
    public int sendBytes(int grant) {
        return grant == MOST && unlimited ? 0 : grant;
    }

    /**
     * Bytes of a write queue, and of a read into it, with a grant. Without a limit an exchange that has the most is
     * held to the configuration only, which may ask for more.
     */
    public int queued(int grant) {
        return grant == MOST && unlimited ? Integer.MAX_VALUE : Math.min(grant, MemoryPlan.MOST_QUEUED);
    }

    // ---- endpoints

    /**
     * Counts {@code delta} more bytes of the heap for endpoints, of any cluster and loop. Any thread.
     *
     * @return whether there is room for them; where not, they are not counted
     */
    public boolean growEndpoints(long delta) {
        return watch.growEndpoints(delta);
    }

    // endpoints take of the heap that was divided among others
    private int beside(int most) {
        long taken = watch.endpointsBytes();
        return taken == 0 ? most : (int) Math.max(1, most - most * taken / heapRoomBytes);
    }

    // ---- exchanges

    /**
     * Admits an exchange, which owes {@link #giveBack}. Where there is no room, a client that has more than its share yields
     * some.
     *
     * @param headBytes that it keeps in the heap
     * @param client whose it is, as a {@link Claim} names it
     * @return the grant, 0 where there is no room for another exchange
     */
    public int grant(int headBytes, Object client) {
        noteServed();
        boolean near = fill() >= Pressure.REFUSE.fillEnds();
        // near the bound is for others than a client that has too much; and they need not wait until the watch looks
        boolean refused = watch.pressure().isAtLeast(Pressure.REFUSE)
                ? near || !watch.usageEnds(Pressure.REFUSE) || !isShort(client)
                : (near || !leavesReserve(headBytes)) && othersAreShort(client);
        int grant = refused ? 0 : grantFor(headBytes);
        // connections take of the pool as well, so that there may be room for fewer than planned
        int most = fits(headBytes) ? Math.min(beside(maxExchanges), exchanges + 1) : beside(maxExchanges);
        for (int tries = MOST_YIELDS;
                grant == 0 && tries > 0 && makeRoom(client, shortage(headBytes), most, maxHeldBytes);
                tries--) {
            // it replaces one that has just ended, at any pressure
            grant = grantFor(headBytes);
        }
        if (grant == 0) {
            stats.increment(LoopMetric.MEMORY_REFUSED);
            return 0;
        }
        exchanges++;
        reserve(reserved(grant));
        reserveTls(costs.backend().bytes());
        hold(headBytes);
        stats.increment(LoopMetric.MEMORY_EXCHANGES);
        return grant;
    }

    private Shortage shortage(int headBytes) {
        if (!fits(headBytes)) {
            return Shortage.HEAP;
        }
        return grantFor(headBytes) == 0 ? Shortage.EXCHANGES : Shortage.PRESSURE;
    }

    private int grantFor(int headBytes) {
        return exchanges < beside(maxExchanges) && fits(headBytes) ? grantOf(leftBytes()) : 0;
    }

    /** Sets the source of this loop's claims, before anything is admitted. */
    public void claimsFrom(Claim.Source source) {
        claims = source;
    }

    private boolean isShort(Object client) {
        return shares != null && shares.isShort(client, System.nanoTime());
    }

    private boolean othersAreShort(Object client) {
        return shares != null && shares.othersAreShort(client, System.nanoTime());
    }

    /**
     * Has clients that have more than their share yield until the held bytes fit, in favour of one that has less.
     *
     * @return whether it fits now
     */
    public boolean makeRoomForHeld(Object client) {
        int tries = MOST_YIELDS;
        while (!fits(0) && tries > 0 && makeRoomForBytes(client, maxHeldBytes)) {
            tries--;
        }
        return fits(0) && (leavesReserve(0) || !othersAreShort(client));
    }

    /**
     * Makes room for {@code bytes} more and holds them as {@link #holdSpare} does; a share is a part of half as much
     * then.
     */
    public boolean makeRoomForSpare(int bytes, Object client) {
        boolean holds = false;
        for (int tries = MOST_YIELDS; !holds && tries > 0 && makeRoomForBytes(client, maxHeldBytes / 2); tries--) {
            holds = holdSpare(bytes);
        }
        return holds;
    }

    /**
     * Has clients that have more than their share yield until unfinished sections fit too, in favour of one that has
     * less.
     *
     * @return whether it fits now
     */
    public boolean makeRoomForUnfinished(Object client) {
        for (int tries = MOST_YIELDS; !unfinishedFits() && tries > 0; tries--) {
            if (!makeRoomForBytes(client, unreservedHeldBytes)) {
                return false;
            }
        }
        return unfinishedFits() && makeRoomForHeld(client);
    }

    private boolean makeRoomForBytes(Object client, long mostBytes) {
        return makeRoom(client, Shortage.HEAP, beside(maxExchanges), mostBytes);
    }

    private boolean makeRoom(Object client, Shortage shortage, int mostExchanges, long mostBytes) {
        if (claims == null) {
            return false;
        }
        if (shares == null) {
            shares = new FairShares(stats, claims, number);
        }
        return shares.makeRoom(client, shortage, mostExchanges, mostBytes, System.nanoTime());
    }

    // neither what is kept for handshakes is left, nor what a library holds unplanned
    private long leftBytes() {
        return poolBytes
                - reservedBytes
                - (handshakes == null ? 0 : handshakes.keptBytes())
                - watch.unplannedBytes() / loops;
    }

    private int grantOf(long leftBytes) {
        int grant = LEAST;
        if (!watch.pressure().isAtLeast(Pressure.SHRINK)) {
            // what is generous must not bring on the shortage for which it would be taken back
            long spareBytes = leftBytes - poolBytes * (1_000 - Pressure.SHRINK.fillEnds()) / 1_000;
            while (grant < MOST && reserved(grant * 2) * FOLLOWERS <= leftBytes && reserved(grant * 2) <= spareBytes) {
                grant *= 2;
            }
        }
        return reserved(grant) <= leftBytes ? grant : 0;
    }

    /** Reserves a second stream of an exchange, with the least grant. The exchange owes {@link #giveBackSecond}. */
    public boolean reserveSecond() {
        boolean room = !watch.pressure().isAtLeast(Pressure.SHRINK) && reserved(LEAST) <= leftBytes();
        if (room) {
            reserve(reserved(LEAST));
            reserveTls(costs.backend().bytes());
        }
        return room;
    }

    public void giveBackSecond() {
        reserve(-reserved(LEAST));
        reserveTls(-costs.backend().bytes());
    }

    /** Releases the memory of an exchange that has ended. */
    public void giveBack(int grant, int headOctets) {
        exchanges--;
        reserve(-reserved(grant));
        reserveTls(-costs.backend().bytes());
        hold(-headOctets);
        stats.decrement(LoopMetric.MEMORY_EXCHANGES);
    }

    /** Reduces the grant of an exchange from {@code before} to the least. */
    public void shrink(int before) {
        reserve(reserved(LEAST) - reserved(before));
        stats.increment(LoopMetric.MEMORY_SHRUNK);
    }

    /** Reserves and returns a grant for an exchange that was shrunk, as there is room again; {@code before} or more. */
    public int regrant(int before) {
        int grant = Math.max(before, grantOf(leftBytes()));
        reserve(reserved(grant) - reserved(before));
        return grant;
    }

    void reserve(long delta) {
        reservedBytes += delta;
        stats.add(LoopMetric.MEMORY_RESERVED, delta);
    }

    // of what is reserved, which part it is
    void reserveTls(long delta) {
        if (delta != 0) {
            stats.add(LoopMetric.MEMORY_TLS, delta);
        }
    }

    void noteServed() {
        if (!served) {
            served = true;
            watch.wake();
        }
        if (reservedBytes > busyBytes) {
            watch.hurry();
        }
    }

    // ---- connections

    /**
     * Counts a connection of a client.
     *
     * @return whether there is room for it; where not, others have to go
     */
    public boolean open() {
        noteServed();
        connections++;
        reserve(connectionBytes);
        reserveTls(costs.client().bytes());
        return connections <= beside(maxConnections);
    }

    public void closed() {
        connections--;
        reserve(-connectionBytes);
        reserveTls(-costs.client().bytes());
    }

    /**
     * Returns how many connections leave at once where there is no room, so that they are not searched for each
     * newcomer.
     */
    public int leaving() {
        return Math.max(1, beside(maxConnections) / 32);
    }

    /** The connections that may be open once these have left. */
    public int mostThatStay() {
        return Math.max(1, beside(maxConnections) - leaving());
    }

    /** The bound on clients' handshakes. */
    public HandshakeBudget handshakes() {
        if (handshakes == null) {
            handshakes = handshakes(watch.plan());
        }
        return handshakes;
    }

    private HandshakeBudget handshakes(MemoryPlan plan) {
        return new HandshakeBudget(this, plan, loops, watch, stats);
    }

    // ---- heads

    /**
     * Asks to hold {@code delta} more bytes that clients have sent; a negative one releases bytes.
     *
     * @return whether the loop's share of the heap has room for all that is held now; where not, {@link
     *     #makeRoomForHeld} says if this client may
     */
    public boolean hold(long delta) {
        heldBytes += delta;
        stats.add(LoopMetric.MEMORY_HELD, delta);
        return fits(0) && (leavesReserve(0) || shares == null || !shares.isContested(System.nanoTime()));
    }

    /**
     * Counts {@code delta} more of the held bytes, or fewer, as parts of sections that are not whole. These leave a
     * fifth of the heap, so that whole heads are served however many never become whole.
     *
     * @return whether they do; where not, {@link #makeRoomForUnfinished} may make room
     */
    boolean countUnfinished(long delta) {
        unfinishedBytes += delta;
        return unfinishedFits();
    }

    /** Returns whether clients may add to sections that are not whole. */
    public boolean unfinishedFits() {
        return unfinishedBytes <= unreservedHeldBytes;
    }

    // while others are short
    private boolean leavesReserve(int moreBytes) {
        return heldBytes + moreBytes <= unreservedHeldBytes;
    }

    private boolean fits(int moreBytes) {
        return heldBytes + moreBytes <= maxHeldBytes;
    }

    /**
     * Holds so many bytes more that an exchange could do without, until {@link #hold} gives them back. It refuses where
     * less than half would be left for bytes that an exchange needs.
     */
    public boolean holdSpare(int bytes) {
        if (heldBytes + bytes > maxHeldBytes / 2) {
            return false;
        }
        return hold(bytes);
    }

    // ---- pressure

    /** Returns the stage of pressure. */
    public Pressure pressure() {
        return watch.pressure();
    }

    /** Bytes that have to be freed at once where slow exchanges are cut. */
    public long cutBytes() {
        return poolBytes / 16;
    }

    /** Counts an exchange that was cut. */
    public void cut() {
        stats.increment(LoopMetric.MEMORY_CUT);
    }

    /** Counts idle connections that were closed. */
    public void shed(int count) {
        stats.add(LoopMetric.MEMORY_SHED, count);
    }

    // ---- for the watch, on any thread

    /**
     * Returns the share of the pool that is taken, or of the exchanges that may be in flight, in parts of a thousand.
     */
    int fill() {
        long taken = stats.value(LoopMetric.MEMORY_RESERVED) + watch.unplannedBytes() / loops;
        long byPool = taken * 1_000 / Math.max(1, poolBytes);
        long byCount = stats.value(LoopMetric.MEMORY_EXCHANGES) * 1_000 / beside(maxExchanges);
        return (int) Math.max(byPool, byCount);
    }

    /** Returns whether anybody has been served since the last call. */
    boolean hasServed() {
        boolean was = served;
        served = false;
        return was || stats.value(LoopMetric.MEMORY_EXCHANGES) > 0;
    }

    /** Returns the bytes that are reserved for TLS. */
    long tlsBytes() {
        return stats.value(LoopMetric.MEMORY_TLS);
    }

    long refused() {
        return stats.value(LoopMetric.MEMORY_REFUSED);
    }
}
