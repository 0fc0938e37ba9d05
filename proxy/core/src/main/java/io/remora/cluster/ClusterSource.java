package io.remora.cluster;

import io.remora.config.Limits;
import io.remora.config.LogComponent;
import io.remora.config.ResolverConfig;
import io.remora.log.Log;
import io.remora.metrics.NamingStats;
import io.remora.naming.Addr;
import java.util.ArrayDeque;

/**
 * What the source of a cluster's endpoints has told, for operators: counts it, and tells each change of state once. Loaded
 * only for a cluster that has a resolver.
 *
 * <p>Owner: its cluster, under whose lock it is.
 */
public final class ClusterSource {
    private final String name;
    private final ResolverConfig config;
    private final NamingStats stats;
    private Addr last = new Addr.Pending();
    private String refused = "";
    /** Set while a part of the source gives no answer. */
    private boolean isPartial;
    /** What was heard and is not shown: a few words, unless a loop hangs. */
    private final ArrayDeque<Addr> unshown = new ArrayDeque<>(2);

    public ClusterSource(String name, ResolverConfig config, NamingStats stats) {
        this.name = "cluster " + name;
        this.config = config;
        this.stats = stats;
    }

    public ResolverConfig config() {
        return config;
    }

    public NamingStats stats() {
        return stats;
    }

    /** Of each word of the resolver, one that says the same again among them, where it is in effect at once. */
    public void told(Addr addr, int endpoints) {
        hear(addr, endpoints);
        show(addr, endpoints);
    }

    /** The same where it is not in effect yet; {@link #show()} follows. */
    void heard(Addr addr) {
        hear(addr, endpointsOf(addr));
        unshown.add(addr);
    }

    /** What was heard is in effect: whoever sees it finds requests go by it. */
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
                Log.info(
                        LogComponent.CLUSTER,
                        name + (wasLost ? ": is answered again, " : ": has ") + count(endpoints) + " by "
                                + config.source());
            }
            missing(bound.missing(), endpoints);
        } else if (addr instanceof Addr.Empty) {
            refused = "";
            if (changes) {
                Log.warn(LogComponent.CLUSTER, name + ": no endpoint, says " + config.source());
            }
        } else if (addr instanceof Addr.Failed failed) {
            if (changes) {
                Log.warn(
                        LogComponent.CLUSTER,
                        name + ": no answer by " + config.source() + ": " + failed.reason() + keeping());
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
            Log.warn(
                    LogComponent.CLUSTER,
                    name + ": no answer by a part of " + config.source() + ": " + why + "; " + count(endpoints)
                            + " in use");
        } else {
            Log.info(LogComponent.CLUSTER, name + ": all of " + config.source() + " is answered again");
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
        String whole = "; its " + count(stats.endpoints());
        return config.keepLastNs() == Limits.UNLIMITED
                ? whole + " stay in use"
                : whole + " stay in use for " + config.keepLastNs() / 1_000_000_000L + " s";
    }

    private static String count(long endpoints) {
        return endpoints + (endpoints == 1 ? " endpoint" : " endpoints");
    }

    /** What the source says cannot be used. */
    public void refused(String why) {
        stats.refused(why);
        if (!why.equals(refused)) {
            refused = why;
            Log.warn(
                    LogComponent.CLUSTER,
                    name + ": " + why + "; this is refused, and what was there before stays in use");
        }
    }

    boolean isLost() {
        return last instanceof Addr.Failed;
    }

    /** The last good answer is too old. */
    void dropped() {
        Log.warn(
                LogComponent.CLUSTER,
                name + ": its last " + count(stats.endpoints()) + " are given up, as " + config.source()
                        + " has given no answer for so long");
        stats.dropped();
    }
}
