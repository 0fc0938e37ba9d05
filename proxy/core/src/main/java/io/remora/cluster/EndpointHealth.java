package io.remora.cluster;

import io.remora.metrics.ClusterMetric;
import io.remora.metrics.EndpointView;
import io.remora.stream.Verdict;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The state of one endpoint on all event loops, in use or out, by the results of its requests and of its checks.
 *
 * <p>Thread safe: guarded by its {@link ClusterHealth}. Cost: a success of an endpoint that has not failed since is two
 * volatile reads, unless the success rate counts.
 */
final class EndpointHealth {
    private static final int JITTER_PARTS = 4;
    private static final int MOST_DOUBLINGS = 20;
    private static final long NEVER = Long.MIN_VALUE;

    final String key;
    /** The number of loops that know it; guarded by the cluster. */
    int loops;

    private final ClusterHealth cluster;
    private final String name;
    private final @Nullable AccrualConfig accrual;
    private final @Nullable SuccessRate rate;
    /** Failures in a row. */
    private volatile int consecutive;
    /** True if it is out of use, for its failures or for its checks. */
    private volatile boolean out;

    private volatile boolean ejected;
    private volatile boolean failing;
    private int ejections;
    private long backOffNs;
    private volatile long returnsAtNs;
    private long sinceNs;
    /** True if it has ever been out. */
    private boolean changed;

    /** Why it was ejected, by the label of the metric. */
    private String ejectedFor = "";

    /** The time at which it became as it is, out or in use. */
    private long changedNs;
    /** The attempt on which the return depends. */
    private volatile @Nullable Object prober;
    /**
     * The time from when on it has answered well enough, though only its end is to say so; {@link #NEVER} before it
     * answers.
     */
    private volatile long lastsAtNs = NEVER;

    private int checks;

    EndpointHealth(ClusterHealth cluster, String key, String name) {
        this.cluster = cluster;
        this.key = key;
        this.name = name;
        this.accrual = cluster.config().accrual();
        this.rate = accrual == null || accrual.successPercent() == 0 ? null : new SuccessRate(accrual);
    }

    // ---- what balancers see

    /** Returns whether it may be picked while another endpoint can be. */
    boolean isUsable() {
        return !out || cluster.isPanic() || mayProbe();
    }

    // after its time one request tries it; checks that fail have to succeed first
    private boolean mayProbe() {
        if (!ejected || failing) {
            return false;
        }
        return prober == null ? cluster.nowNs() - returnsAtNs >= 0 : hasLasted();
    }

    private boolean hasLasted() {
        long atNs = lastsAtNs;
        return atNs != NEVER && cluster.nowNs() - atNs >= 0;
    }

    boolean isOut() {
        return out;
    }

    /** An attempt begins; tells whether it is the one on which the return depends. */
    boolean begins(Object attempt) {
        if (out) {
            synchronized (cluster) {
                if (mayProbe() && prober != null) {
                    consecutive = 0;
                    comeBack();
                } else if (mayProbe()) {
                    prober = attempt;
                    lastsAtNs = NEVER;
                    return true;
                }
            }
        }
        return false;
    }

    // ---- what attempts say

    /**
     * An attempt has ended.
     *
     * @param node the one that {@link #begins} took, or anything else for any other
     * @param nowNs of this turn
     */
    void ended(Object node, Verdict verdict, long nowNs) {
        if (verdict == Verdict.SUCCESS) {
            if (consecutive != 0 || out || rate != null) {
                succeeded(node, nowNs);
            }
        } else if (verdict == Verdict.IGNORED) {
            if (prober == node) {
                prober = null;
            }
        } else if (accrual != null && (verdict != Verdict.OVERTAKEN || prober == node)) {
            // an overtaken attempt has not failed, but the endpoint is not back either
            failed(node, accrual);
        }
    }

    /**
     * The one that tried it is being answered, and only the end is to say how well. Where that takes as long as the endpoint was out of
     * use, it is back without: a stream may go on for hours.
     */
    void begunToAnswer(Object node) {
        if (prober == node) {
            synchronized (cluster) {
                lastsAtNs = cluster.nowNs() + backOffNs;
            }
        }
    }

    /** Notes that the attempt on which the return depends has its answer, whose content may go on for long. */
    void answered(Object node) {
        if (prober == node) {
            succeeded(node, cluster.nowNs());
        }
    }

    private void succeeded(Object node, long nowNs) {
        synchronized (cluster) {
            consecutive = 0;
            if (loops == 0) {
                // it has left the cluster, and nothing would undo a change now
                return;
            }
            if (ejected) {
                // an attempt from before it was out of use says nothing of its state now
                if (prober == node) {
                    comeBack();
                }
            } else if (rate != null && accrual != null && rate.isTooLow(false, nowNs)) {
                eject(accrual, "success-rate", "fewer than " + accrual.successPercent() + " % succeed");
            }
        }
    }

    private void failed(Object node, AccrualConfig config) {
        synchronized (cluster) {
            if (loops == 0) {
                return;
            }
            if (ejected) {
                if (prober == node) {
                    prober = null;
                    backOff(config);
                }
                return;
            }
            consecutive++;
            boolean low = rate != null && rate.isTooLow(true, cluster.nowNs());
            if (config.consecutive() > 0 && consecutive >= config.consecutive()) {
                eject(config, "consecutive", consecutive + " failures in a row");
            } else if (low) {
                eject(config, "success-rate", "fewer than " + config.successPercent() + " % succeed");
            }
        }
    }

    private void eject(AccrualConfig config, String reason, String words) {
        if (!cluster.mayEject()) {
            return;
        }
        long nowNs = cluster.nowNs();
        if (nowNs - sinceNs >= config.maxBackOffNs()) {
            ejections = 0;
        }
        sinceNs = nowNs;
        ejected = true;
        ejectedFor = reason;
        cluster.ejected(1);
        backOff(config);
        cluster.countEjection(name, reason, backOffNs);
        cluster.log("endpoint " + name + " is out of use for " + seconds(backOffNs) + ": " + words);
        update();
    }

    private void backOff(AccrualConfig config) {
        long doubledNs = config.backOffNs() << Math.min(ejections, MOST_DOUBLINGS);
        boolean most = doubledNs > config.maxBackOffNs()
                || doubledNs >> Math.min(ejections, MOST_DOUBLINGS) != config.backOffNs();
        long baseNs = most ? config.maxBackOffNs() : doubledNs;
        ejections++;
        backOffNs = baseNs + ThreadLocalRandom.current().nextLong(baseNs / JITTER_PARTS + 1);
        returnsAtNs = cluster.nowNs() + backOffNs;
    }

    private void comeBack() {
        ejected = false;
        prober = null;
        cluster.ejected(-1);
        long nowNs = cluster.nowNs();
        cluster.log("endpoint " + name + " is back after " + seconds(nowNs - sinceNs));
        sinceNs = nowNs;
        if (rate != null) {
            rate.clear();
        }
        update();
    }

    private static String seconds(long ns) {
        long tenths = TimeUnit.NANOSECONDS.toMillis(ns) / 100;
        return tenths / 10 + "." + tenths % 10 + " s";
    }

    // ---- what checks say

    /** A check has ended. */
    void checked(HealthCheckConfig config, boolean healthy) {
        synchronized (cluster) {
            if (loops == 0) {
                return;
            }
            cluster.count(ClusterMetric.CHECKS, healthy ? "success" : "failure");
            checks = healthy == failing ? checks + 1 : 0;
            if (checks < (failing ? config.healthyThreshold() : config.unhealthyThreshold())) {
                return;
            }
            checks = 0;
            failing = !failing;
            if (failing) {
                cluster.countEjection(name, "health-check", -1);
            }
            cluster.log("endpoint " + name
                    + (failing ? " is out of use: its checks fail" : " is back: its checks succeed"));
            update();
        }
    }

    // ---- what operators see

    EndpointView.Known known(int latencyUs) {
        synchronized (cluster) {
            long nowNs = cluster.nowNs();
            String state = !out ? "in-use" : prober != null ? "probing" : cluster.isPanic() ? "panic" : "out";
            String reason = ejected ? ejectedFor : "";
            if (failing) {
                reason = reason.isEmpty() ? "health-check" : reason + "+health-check";
            }
            long stateNs = changed ? nowNs - changedNs : -1;
            long returnsNs = ejected && !failing ? Math.max(0, returnsAtNs - nowNs) : -1;
            return new EndpointView.Known(state, reason, stateNs, returnsNs, latencyUs);
        }
    }

    private void update() {
        boolean now = ejected || failing;
        if (now != out) {
            out = now;
            changed = true;
            changedNs = cluster.nowNs();
            cluster.changed(now);
        }
    }

    /**
     * Ends its part in the cluster's counts, since it has left; attempts that still end there change nothing any more.
     */
    void forget() {
        if (ejected) {
            ejected = false;
            cluster.ejected(-1);
        }
        failing = false;
        update();
    }
}
