package io.remora.feature.ratelimit;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A bucket for each key, in a table that never grows. A key is known by its hash alone, and has one of the places of
 * the set that the hash picks.
 *
 * <p>A place goes to another key only once its bucket is full again, when its owner would get a full one anyway. No
 * used bucket is thus forgotten, however many keys other clients invent. Where all places of a set are in use, its
 * further keys share one bucket, which bounds the requests that pass and the memory.
 *
 * <p>Thread safe: a key that has a place takes no lock, nor does one for which there is none. Only moving in takes one,
 * so that no key has two. Bounds: twice as many places as configured keys, 33 octets a key.
 */
final class BucketTable {
    private static final int WAYS = 16;
    private static final int KEYS_A_SET = WAYS / 2;
    /** The hash of nobody: no place is found by it. */
    private static final long NOBODY = 0;
    /** Result instead of a wait: the key has no place. */
    private static final long ABSENT = -1;

    private final Rate rate;
    private final RateLimitStats stats;
    private final int sets;
    /** The hash of the key that has the place. */
    private final AtomicLongArray owners;
    /** Time at which its bucket is full. */
    private final AtomicLongArray buckets;
    /** Shared buckets, by set, for keys without a place. */
    private final AtomicLongArray shared;

    BucketTable(Rate rate, int keys, RateLimitStats stats) {
        this.rate = rate;
        this.stats = stats;
        this.sets = (keys + KEYS_A_SET - 1) / KEYS_A_SET;
        this.owners = new AtomicLongArray(sets * WAYS);
        this.buckets = new AtomicLongArray(sets * WAYS);
        this.shared = new AtomicLongArray(sets);
    }

    /** Takes a token of the key with this hash; tells how long to wait, 0 where it was taken. */
    long take(long hash, long nowNs) {
        long key = keyOf(hash);
        int set = setOf(hash);
        long waitNs = takeOwn(set, key, nowNs);
        if (waitNs != ABSENT) {
            return waitNs;
        }
        if (hasRoom(set, nowNs)) {
            waitNs = moveIn(set, key, nowNs);
        }
        if (waitNs != ABSENT) {
            return waitNs;
        }
        stats.shared();
        return rate.take(shared, set, nowNs);
    }

    private static long keyOf(long hash) {
        return hash == NOBODY ? 1 : hash;
    }

    private int setOf(long hash) {
        return (int) ((hash >>> 32) * sets >>> 32);
    }

    /** Returns when the bucket is full that the key has, or shares. */
    long fullNs(long hash) {
        int set = setOf(hash);
        for (int at = set * WAYS; at < (set + 1) * WAYS; at++) {
            if (owners.get(at) == keyOf(hash)) {
                return buckets.get(at);
            }
        }
        return shared.get(set);
    }

    private long takeOwn(int set, long key, long nowNs) {
        for (int at = set * WAYS; at < (set + 1) * WAYS; at++) {
            if (owners.get(at) == key) {
                long waitNs = takeAt(at, key, nowNs);
                if (waitNs != ABSENT) {
                    return waitNs;
                }
            }
        }
        return ABSENT;
    }

    // the owner is read once more after the bucket: a key that moves in meanwhile changes the bucket, and the exchange
    // fails
    private long takeAt(int at, long key, long nowNs) {
        while (true) {
            long before = buckets.get(at);
            if (owners.get(at) != key) {
                return ABSENT;
            }
            long after = rate.taken(before, nowNs);
            if (after == Rate.NONE) {
                return rate.waitNs(before, nowNs);
            }
            if (buckets.compareAndSet(at, before, after)) {
                return 0;
            }
        }
    }

    private boolean hasRoom(int set, long nowNs) {
        for (int at = set * WAYS; at < (set + 1) * WAYS; at++) {
            if (buckets.get(at) <= nowNs) {
                return true;
            }
        }
        return false;
    }

    private synchronized long moveIn(int set, long key, long nowNs) {
        // another loop may have let the same key in, or have been asked for it while it was being judged here
        long waitNs = takeOwn(set, key, nowNs);
        for (int at = set * WAYS; at < (set + 1) * WAYS && waitNs == ABSENT; at++) {
            if (claim(at, key, nowNs)) {
                waitNs = 0;
            }
        }
        return waitNs;
    }

    private boolean claim(int at, long key, long nowNs) {
        long before = buckets.get(at);
        if (before > nowNs) {
            return false;
        }
        long owner = owners.get(at);
        // from here on the owner does not find it, and comes to the lock
        owners.set(at, NOBODY);
        boolean free = buckets.compareAndSet(at, before, rate.taken(before, nowNs));
        // else the owner has taken from it first
        owners.set(at, free ? key : owner);
        return free;
    }
}
