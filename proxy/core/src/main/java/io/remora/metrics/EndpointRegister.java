package io.remora.metrics;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The counts of endpoints, in the order in which these came up. The links of its lists are in their items, because a
 * map's entries would cost an endpoint a tenth more.
 *
 * <p>Thread safe. Cost: joining and leaving cost the same however many there are, since a reload may have thousands
 * leave at once; the first scrape after that copies the list.
 */
final class EndpointRegister {
    private static final int LEAST_BINS = 16;

    /** The lists by the hash of names; the counts of one endpoint are in the same one. */
    private @Nullable EndpointStats[] bins = new EndpointStats[LEAST_BINS];

    private int size;
    private @Nullable EndpointStats first;
    private @Nullable EndpointStats last;
    /** The list for scrapes, never changed; null where the next scrape has to make it again. */
    private volatile @Nullable List<EndpointStats> listed = List.of();

    synchronized void add(EndpointStats stats) {
        if (size == bins.length) {
            grow();
        }
        link(stats);
        listed = null;
    }

    /** Removes an endpoint's counts, as {@link Stats#remove(EndpointStats)} says. */
    synchronized void remove(EndpointStats gone) {
        EndpointStats before = null;
        boolean known = false;
        boolean inUse = false;
        for (EndpointStats one = bins[bin(gone)]; one != null; one = one.inBin) {
            if (one == gone) {
                known = true;
            } else if (one.isBeside(gone)) {
                before = one.leftover ? one : before;
                inUse |= !one.leftover;
            }
        }
        if (!known) {
            return;
        }
        unlink(gone);
        if (before != null) {
            unlink(before);
        }
        if (inUse) {
            link(gone.leftover(before));
        }
        listed = null;
    }

    /** Returns all of them as they are now; no endpoint is half removed. */
    List<EndpointStats> list() {
        List<EndpointStats> known = listed;
        return known == null ? listAnew() : known;
    }

    private synchronized List<EndpointStats> listAnew() {
        List<EndpointStats> all = new ArrayList<>(size);
        for (EndpointStats one = first; one != null; one = one.later) {
            all.add(one);
        }
        listed = all;
        return all;
    }

    private int bin(EndpointStats one) {
        return (one.hash ^ one.hash >>> 16) & bins.length - 1;
    }

    private void grow() {
        bins = new EndpointStats[2 * bins.length];
        for (EndpointStats one = first; one != null; one = one.later) {
            putIntoBin(one);
        }
    }

    private void putIntoBin(EndpointStats one) {
        int bin = bin(one);
        one.inBin = bins[bin];
        bins[bin] = one;
    }

    private void link(EndpointStats one) {
        putIntoBin(one);
        one.earlier = last;
        if (last == null) {
            first = one;
        } else {
            last.later = one;
        }
        last = one;
        size++;
    }

    private void unlink(EndpointStats one) {
        takeFromBin(one);
        EndpointStats earlier = one.earlier;
        EndpointStats later = one.later;
        if (earlier == null) {
            first = later;
        } else {
            earlier.later = later;
        }
        if (later == null) {
            last = earlier;
        } else {
            later.earlier = earlier;
        }
        one.earlier = null;
        one.later = null;
        size--;
    }

    private void takeFromBin(EndpointStats gone) {
        int bin = bin(gone);
        EndpointStats before = null;
        for (EndpointStats one = bins[bin]; one != null && one != gone; one = one.inBin) {
            before = one;
        }
        if (before == null) {
            bins[bin] = gone.inBin;
        } else {
            before.inBin = gone.inBin;
        }
        gone.inBin = null;
    }
}
