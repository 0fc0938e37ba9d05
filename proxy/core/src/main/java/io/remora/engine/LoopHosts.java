package io.remora.engine;

import io.remora.http.Failure;
import io.remora.http.RequestHead;
import io.remora.stream.StreamClient;
import io.remora.stream.Target;
import io.remora.transport.Deadline;
import io.remora.transport.Loop;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One event loop's way to the clusters of a template, one for each host. It finds them in a table of its own; only a
 * host for which this loop has had no request, or none for long, takes the lock that all loops share.
 *
 * <p>Owner: the event loop. Bounds: as many hosts as the template has at most, of which those that have never answered
 * make room for others; for each that is being opened as many requests as may wait for its endpoints, and as long.
 */
public final class LoopHosts extends Cluster implements Deadline.Expirable {
    /** The time for which a host whose cluster could not be had is not tried again. */
    private static final long FAILED_NS = 1_000_000_000L;

    private final HostClusters all;
    private final Loop loop;
    private final Map<String, Known> hosts = new HashMap<>();
    /** Hosts that had not answered at the last look, the eldest first: they make room for others. */
    private final Map<String, Known> unanswered = new LinkedHashMap<>();

    private @Nullable Deadline deadline;

    LoopHosts(HostClusters all, Loop loop) {
        this.all = all;
        this.loop = loop;
    }

    Loop loop() {
        return loop;
    }

    /** The port of a host that was named without one. */
    public int portByDefault() {
        return all.portByDefault();
    }

    /**
     * Finds the cluster of a host, or has it made; {@code finder} hears, at once or later.
     *
     * @param host as {@code HostName} spells it, one that the template takes
     * @param port 0 for one that nobody has
     */
    public void find(String host, int port, Finder finder) {
        if (port == 0) {
            finder.refused(Failure.NO_ROUTE);
            return;
        }
        String key = all.key(host, port);
        Known known = hosts.get(key);
        if (known == null) {
            known = join(key, host, port, finder);
            if (known == null) {
                return;
            }
        }
        long nowNs = loop.nowNs();
        if (!known.failed) {
            known.usedNs = nowNs;
        }
        Cluster cluster = known.cluster;
        if (cluster != null) {
            finder.found(cluster);
        } else if (known.failed || known.waiting.size() >= all.pending()) {
            finder.refused(Failure.NOT_RESOLVED);
        } else {
            known.waiting.addLast(new Waiting(finder, nowNs + all.pendingTimeoutNs()));
            wake(all.pendingTimeoutNs());
        }
    }

    private @Nullable Known join(String key, String host, int port, Finder finder) {
        // one that failed counts here for a while, and for the others no longer
        boolean full = hosts.size() >= all.maxHosts();
        HostCluster joined = full ? HostCluster.TOO_MANY : all.join(key, host, port, this);
        if (joined == HostCluster.TOO_MANY && evict()) {
            joined = all.join(key, host, port, this);
        } else if (joined == HostCluster.TOO_MANY) {
            all.evictOnOthers(this);
        }
        Failure refusal = joined.refusal;
        if (refusal != null) {
            if (refusal == Failure.TOO_MANY_HOSTS) {
                all.tooMany();
            }
            finder.refused(refusal);
            return null;
        }
        Known known = new Known(joined);
        known.cluster = all.on(joined, loop);
        hosts.put(key, known);
        unanswered.put(key, known);
        wake(all.hostTtlNs());
        return known;
    }

    /** Forgets the eldest host that has never answered, if there is one; exchanges that are under way there go on. */
    boolean evict() {
        Iterator<Known> eldest = unanswered.values().iterator();
        while (eldest.hasNext()) {
            Known known = eldest.next();
            eldest.remove();
            if (known.cluster == null || !known.cluster.hasAnswered()) {
                hosts.remove(known.shared.key);
                all.evict(known.shared, this);
                refuseLater(known.waiting);
                return true;
            }
        }
        return false;
    }

    // in a turn of its own: a request behind a refused one may come at once, and need the cluster of a host again
    private void refuseLater(ArrayDeque<Waiting> waiting) {
        if (waiting.isEmpty()) {
            return;
        }
        loop.later(new Runnable() {
            @Override
            public void run() {
                for (Waiting next = waiting.pollFirst(); next != null; next = waiting.pollFirst()) {
                    all.tooMany();
                    next.finder.refused(Failure.TOO_MANY_HOSTS);
                }
            }
        });
    }

    /** Serves the requests that wait for a cluster, which is there, or cannot be had. */
    void opened(HostCluster one) {
        Known known = hosts.get(one.key);
        if (known == null || known.shared != one || known.cluster != null) {
            return;
        }
        known.cluster = all.on(one, loop);
        known.failed = known.cluster == null;
        if (known.failed) {
            known.usedNs = loop.nowNs();
            wake(FAILED_NS);
        }
        // a request behind one that ends at once may come while this goes on
        for (Waiting next = known.waiting.pollFirst(); next != null; next = known.waiting.pollFirst()) {
            if (known.cluster == null) {
                next.finder.refused(Failure.NOT_RESOLVED);
            } else {
                next.finder.found(known.cluster);
            }
        }
    }

    /** Refuses all requests that wait, since the template is gone; nothing wakes the loop any more. */
    void end() {
        for (Known known : new ArrayList<>(hosts.values())) {
            opened(known.shared);
        }
        if (deadline != null) {
            deadline.cancel();
            deadline = null;
        }
    }

    // ---- time

    private void wake(long afterNs) {
        if (deadline == null) {
            deadline = loop.deadlines().add(this);
        }
        if (deadline.atNs() == Long.MAX_VALUE || deadline.atNs() - loop.nowNs() > afterNs) {
            deadline.setOnce(afterNs);
        }
    }

    @Override
    public void onDeadline() {
        long nowNs = loop.nowNs();
        long nextNs = Long.MAX_VALUE;
        List<Finder> late = new ArrayList<>();
        for (Iterator<Known> each = hosts.values().iterator(); each.hasNext(); ) {
            Known known = each.next();
            long restNs = known.restNs(nowNs, known.failed ? FAILED_NS : all.hostTtlNs(), late);
            if (restNs <= 0) {
                each.remove();
                unanswered.remove(known.shared.key);
                all.leave(known.shared, this);
            } else {
                nextNs = Math.min(nextNs, restNs);
            }
        }
        if (nextNs != Long.MAX_VALUE) {
            wake(nextNs);
        } else if (deadline != null) {
            deadline.cancel();
            deadline = null;
        }
        // last: a request behind one that is refused may come at once, for a host that is new
        for (Finder each : late) {
            each.refused(Failure.NOT_RESOLVED);
        }
    }

    // ---- what is attempted at are the clusters that it finds

    @Override
    public void newStream(RequestHead head, @Nullable Target tried, StreamClient client) {
        client.refused(Failure.NO_ROUTE);
    }

    @Override
    public void newStreamAgain(Target target, StreamClient client) {
        client.refused(Failure.NO_ROUTE);
    }

    @Override
    public boolean hasOther(Target tried) {
        return false;
    }

    @Override
    public boolean repeatsByItself() {
        return false;
    }

    /** A caller that requests the cluster of a host. */
    public interface Finder {
        void found(Cluster cluster);

        void refused(Failure why);
    }

    /** A finder that waits until a cluster is there, and its time limit. */
    private record Waiting(Finder finder, long untilNs) {}

    /** A host as the loop knows it. */
    private static final class Known {
        final HostCluster shared;
        final ArrayDeque<Waiting> waiting = new ArrayDeque<>(1);
        /** The cluster, null until it is open. */
        @Nullable
        Cluster cluster;

        boolean failed;
        long usedNs;

        Known(HostCluster shared) {
            this.shared = shared;
        }

        /**
         * Removes the finders that have waited for too long. Returns in how many nanoseconds something is due, 0 or
         * less where the host is unused.
         */
        long restNs(long nowNs, long ttlNs, List<Finder> late) {
            for (Waiting first = waiting.peekFirst(); first != null; first = waiting.peekFirst()) {
                if (first.untilNs - nowNs > 0) {
                    return first.untilNs - nowNs;
                }
                waiting.removeFirst();
                late.add(first.finder);
            }
            return ttlNs - (nowNs - usedNs);
        }
    }
}
