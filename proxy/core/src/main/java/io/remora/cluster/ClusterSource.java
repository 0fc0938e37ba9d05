package io.remora.cluster;

import io.remora.config.model.Limits;
import io.remora.config.model.LogComponent;
import io.remora.discovery.ResolverConfig;
import io.remora.log.Log;
import io.remora.log.LogThrottle;
import io.remora.metrics.NamingStats;
import io.remora.naming.Addr;
import java.util.ArrayDeque;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * The state of the source of a cluster's endpoints, for operators. It counts the source's answers, and logs each change
 * of state once. Loaded only for a cluster that has a resolver.
 *
 * <p>Owner: its cluster, under whose lock it is.
 */
public final class ClusterSource {
    private final String name;
    private final ResolverConfig config;
    private final NamingStats stats;
    private final @Nullable LogThrottle shared;
    private Addr last = new Addr.Pending();
    private String refused = "";
    /** True while a part of the source gives no answer. */
    private boolean isPartial;
    /** Answers that are not in effect yet: a few, unless a loop hangs. */
    private final ArrayDeque<Addr> unshown = new ArrayDeque<>(2);

    /** The number of times that it was lost. */
    private int losses;
    /** The timer that ends the last answer, once the source is lost. */
    private @Nullable Future<?> dropping;

    /**
     * @param shared which bounds the warnings of all hosts of a template together; null for a cluster that no client names
     */
    public ClusterSource(String name, ResolverConfig config, NamingStats stats, @Nullable LogThrottle shared) {
        this.name = "cluster " + name;
        this.config = config;
        this.stats = stats;
        this.shared = shared;
    }

    public ResolverConfig config() {
        return config;
    }

    public NamingStats stats() {
        return stats;
    }

    /** Takes each answer of the resolver, repeated ones included, where it is in effect at once. */
    public void told(Addr addr, int endpoints) {
        hear(addr, endpoints);
        show(addr, endpoints);
    }

    /** Takes an answer that is not in effect yet; {@link #show()} follows. */
    void heard(Addr addr) {
        hear(addr, endpointsOf(addr));
        unshown.add(addr);
    }

    /** Shows the answers that are now in effect, so that any reader who sees one finds requests using it. */
    void show() {
        for (Addr heard = unshown.poll(); heard != null; heard = unshown.poll()) {
            show(heard, endpointsOf(heard));
        }
    }

    private static int endpointsOf(Addr addr) {
        return addr instanceof Addr.Bound bound ? bound.endpoints().size() : 0;
    }

    private void hear(Addr addr, int endpoints) {
        boolean changes = addr.getClass() != last.getClass();
        boolean wasLost = last instanceof Addr.Failed;
        last = addr;
        if (addr instanceof Addr.Bound bound) {
            refused = "";
            if (changes) {
                info((wasLost ? ": answered again with " : ": has ") + count(endpoints) + " from " + config.source());
            }
            missing(bound.missing(), endpoints);
        } else if (addr instanceof Addr.Empty) {
            refused = "";
            if (changes) {
                warn(": no endpoint in the answer of " + config.source() + "; answering 503");
            }
        } else if (addr instanceof Addr.Failed failed) {
            if (changes) {
                warn(": no answer from " + config.source() + ": " + failed.reason() + keeping());
            }
        }
    }

    /** Tells when a part of the source is lost, and when it is back, and not each reason in between. */
    private void missing(String why, int endpoints) {
        if (isPartial != why.isEmpty()) {
            return;
        }
        isPartial = !why.isEmpty();
        if (isPartial) {
            warn(": partial answer from " + config.source() + ": " + why + "; using " + count(endpoints));
        } else {
            info(": whole answer from " + config.source() + " again");
        }
    }

    private void show(Addr addr, int endpoints) {
        if (addr instanceof Addr.Bound bound) {
            stats.answered(NamingStats.BOUND, endpoints, System.currentTimeMillis(), bound.missing());
        } else if (addr instanceof Addr.Empty) {
            stats.answered(NamingStats.EMPTY, 0, System.currentTimeMillis());
        } else if (addr instanceof Addr.Failed failed) {
            stats.failed(failed.reason());
        }
    }

    private String keeping() {
        if (stats.endpoints() == 0) {
            return "";
        }
        String whole = "; keeping " + count(stats.endpoints());
        return config.keepLastNs() == Limits.UNLIMITED
                ? whole
                : whole + " for " + config.keepLastNs() / 1_000_000_000L + " s";
    }

    private static String count(long endpoints) {
        return endpoints + (endpoints == 1 ? " endpoint" : " endpoints");
    }

    /** Counts an answer that cannot be used, and logs it unless the last refusal said the same. */
    public void refused(String why) {
        stats.refused(why);
        if (!why.equals(refused)) {
            refused = why;
            warn(": " + why + "; rejecting it and keeping the former endpoints");
        }
    }

    boolean isLost() {
        return last instanceof Addr.Failed;
    }

    /** Returns whether it is lost since the loss of that number. */
    boolean isLost(int number) {
        return isLost() && number == losses;
    }

    /** Ends the time for which its last answer holds, and returns the number of the next loss. */
    int keepNoLonger() {
        if (dropping != null) {
            dropping.cancel(false);
            dropping = null;
        }
        return ++losses;
    }

    /** Sets the timer at whose end its last answer ends. */
    void keepUntil(Future<?> timer) {
        dropping = timer;
    }

    /** The last good answer is too old. */
    void dropped() {
        warn(": no answer from " + config.source() + " within keep-last; dropping its last "
                + count(stats.endpoints()));
        stats.dropped();
    }

    private void warn(String what) {
        String tail = shared == null ? "" : shared.tail(System.nanoTime());
        if (tail != null) {
            Log.warn(LogComponent.CLUSTER, name + what + tail);
        }
    }

    // a client that invents hosts could write as many of these as it likes
    private void info(String what) {
        if (shared == null) {
            Log.info(LogComponent.CLUSTER, name + what);
        } else {
            Log.debug(LogComponent.CLUSTER, name + what);
        }
    }
}
