package io.remora.engine;

import io.remora.config.model.ClusterConfig;
import io.remora.config.model.LogComponent;
import io.remora.discovery.ResolverConfig;
import io.remora.http.HostName;
import io.remora.log.Log;
import io.remora.log.LogThrottle;
import io.remora.metrics.HostStats;
import io.remora.metrics.Stats;
import io.remora.template.HostTemplate;
import io.remora.template.Templates;
import io.remora.transport.Loop;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The clusters of a template, one for each host: opened when a first request names the host, and drained once no event
 * loop has had a request for it for a time. Replaces a cluster that an engine has taken on. Loaded only where a
 * template is configured.
 *
 * <p>Thread safe. Cost: a thread for as long as a cluster is being opened or drained, as that may block. Bounds: the
 * template's {@code max-hosts}. A draining cluster counts no longer, so that the series and connections of as many
 * again may be there for a short time.
 */
public final class HostClusters implements EngineCluster, Runnable {
    private final ClusterConfig template;
    private final HostTemplate bounds;
    private final ResolverConfig resolver;
    private final Engine engine;
    private final Stats stats;
    private final HostStats counts;
    private final boolean usesPort;
    /** Shared by all hosts: clients name them, so that a bound for each host would be none. */
    private final LogThrottle warnings = LogThrottle.ofSource();

    /** Below: under the lock. */
    private final List<LoopHosts> loops = new ArrayList<>(1);

    private final Map<String, HostCluster> hosts = new HashMap<>();
    /** The hosts that are to be opened or drained. */
    private final ArrayDeque<HostCluster> work = new ArrayDeque<>();

    private @Nullable Thread thread;
    private boolean ended;

    public HostClusters(ClusterConfig template, Engine engine, Stats stats) {
        HostTemplate given = HostTemplate.of(template.options());
        ResolverConfig asked = ResolverConfig.of(template);
        if (given == null || asked == null) {
            throw new IllegalArgumentException(template.name() + " is no template");
        }
        this.template = template;
        this.bounds = given;
        this.resolver = asked;
        this.engine = engine;
        this.stats = stats;
        this.counts = stats.add(new HostStats(template.name(), Templates.prefix(template.name())));
        this.usesPort = Templates.usesPort(template);
        counts.max(given.maxHosts());
    }

    int maxHosts() {
        return bounds.maxHosts();
    }

    long hostTtlNs() {
        return bounds.hostTtlNs();
    }

    int pending() {
        return resolver.pending();
    }

    long pendingTimeoutNs() {
        return resolver.pendingTimeoutNs();
    }

    /** Returns the key that tells the clusters of two hosts apart. */
    String key(String host, int port) {
        return usesPort ? host + ' ' + port : host;
    }

    /** The port of a host that was named without one. */
    int portByDefault() {
        return Templates.portByDefault(template);
    }

    @Override
    public synchronized Cluster on(Loop loop) {
        for (LoopHosts each : loops) {
            if (each.loop() == loop) {
                return each;
            }
        }
        LoopHosts added = new LoopHosts(this, loop);
        loops.add(added);
        return added;
    }

    // ---- what loops ask

    /** The cluster of a host for one more loop, which owes {@link #leave} unless it is refused. */
    synchronized HostCluster join(String key, String host, int port, LoopHosts loop) {
        HostCluster known = hosts.get(key);
        if (known == null) {
            if (ended || hosts.size() >= bounds.maxHosts()) {
                return ended ? HostCluster.ENDED : HostCluster.TOO_MANY;
            }
            ClusterConfig config = Templates.of(template, host, HostName.isAddress(host), port);
            if (config == null) {
                return HostCluster.NOWHERE;
            }
            known = new HostCluster(key, config);
            begin(known);
            hosts.put(key, known);
            counts.count(HostStats.CREATED, 1);
        }
        known.loops.add(loop);
        return known;
    }

    void tooMany() {
        counts.count(HostStats.REFUSED, 0);
    }

    /** The loop's own way to a cluster, null where it is not open. */
    @Nullable
    synchronized Cluster on(HostCluster one, Loop loop) {
        // under the lock, so that nothing joins a cluster that has been drained
        return one.cluster == null || one.gone || ended ? null : one.cluster.on(loop);
    }

    /** Removes a loop that has had no request for it for a time. */
    void leave(HostCluster one, LoopHosts loop) {
        leave(one, loop, HostStats.FORGOTTEN);
    }

    /** A loop needs its place for another one. */
    void evict(HostCluster one, LoopHosts loop) {
        leave(one, loop, HostStats.EVICTED);
    }

    /** Makes room on the other loops, which the next request for a new host finds. */
    void evictOnOthers(LoopHosts asking) {
        for (LoopHosts each : onLoops()) {
            if (each != asking) {
                each.loop().execute(new Runnable() {
                    @Override
                    public void run() {
                        each.evict();
                    }
                });
            }
        }
    }

    private synchronized void leave(HostCluster one, LoopHosts loop, String event) {
        one.loops.remove(loop);
        if (one.loops.isEmpty() && !one.gone && !ended) {
            one.gone = true;
            hosts.remove(one.key);
            counts.count(event, -1);
            begin(one);
        }
    }

    // ---- opening and draining, on a thread of its own

    private void begin(HostCluster one) {
        work.addLast(one);
        try {
            beginWork();
        } catch (OutOfMemoryError e) {
            // there can be no more threads: the waiting work is done with the next
            warn("cluster " + template.name() + ": no thread for its hosts: " + e.getMessage());
        }
    }

    private void beginWork() {
        if (thread == null) {
            Thread started = new Thread(this, "remora-hosts");
            started.setDaemon(true);
            started.start();
            thread = started;
        }
    }

    private synchronized @Nullable HostCluster next() {
        HostCluster next = work.pollFirst();
        if (next == null) {
            thread = null;
        }
        return next;
    }

    @Override
    public void run() {
        for (HostCluster one = next(); one != null; one = next()) {
            try {
                work(one);
            } catch (RuntimeException | Error e) {
                // the others are not to wait for ever
                String tail = warnings.tail(System.nanoTime());
                if (tail != null) {
                    Log.error(
                            LogComponent.CLUSTER,
                            "cluster " + template.name() + ": failed to open or drain a host; keeping the others: " + e
                                    + tail);
                }
            }
        }
    }

    private void work(HostCluster one) {
        EngineCluster drained = toDrain(one);
        if (drained != null) {
            drained.drain();
        } else if (one.config != null && !isGone(one)) {
            open(one, one.config);
        }
    }

    private synchronized @Nullable EngineCluster toDrain(HostCluster one) {
        return one.gone ? one.cluster : null;
    }

    private synchronized boolean isGone(HostCluster one) {
        return one.gone || ended;
    }

    /** Tells of something a few times a minute at the most: clients name the hosts. */
    private void warn(String what) {
        String tail = warnings.tail(System.nanoTime());
        if (tail != null) {
            Log.warn(LogComponent.CLUSTER, what + tail);
        }
    }

    private void open(HostCluster one, ClusterConfig config) {
        EngineCluster opened = null;
        try {
            opened = engine.open(config, warnings);
        } catch (IOException | RuntimeException | Error e) {
            warn("cluster " + config.name() + " cannot be created: " + e.getMessage());
        }
        if (!settle(one, opened) && opened != null) {
            opened.drain();
        }
    }

    /** Tells the loops; whether the cluster is in use. */
    private synchronized boolean settle(HostCluster one, @Nullable EngineCluster opened) {
        if (one.gone || ended) {
            return false;
        }
        one.cluster = opened;
        if (opened == null) {
            one.gone = true;
            hosts.remove(one.key);
            counts.count(HostStats.FAILED, -1);
        }
        for (LoopHosts each : one.loops) {
            each.loop().execute(new Runnable() {
                @Override
                public void run() {
                    each.opened(one);
                }
            });
        }
        return true;
    }

    // ---- the end

    @Override
    public void drain() {
        for (EngineCluster each : end()) {
            each.drain();
        }
        endOnLoops();
    }

    @Override
    public void close() {
        for (EngineCluster each : end()) {
            each.close();
        }
        endOnLoops();
    }

    /** Marks the end, once, and returns the clusters that are open. It may be called any number of times. */
    private synchronized List<EngineCluster> end() {
        List<EngineCluster> open = new ArrayList<>();
        for (HostCluster one : hosts.values()) {
            if (one.cluster != null) {
                open.add(one.cluster);
            }
        }
        if (!ended) {
            ended = true;
            counts.gone(hosts.size());
            stats.remove(counts);
        }
        return open;
    }

    private synchronized List<LoopHosts> onLoops() {
        return List.copyOf(loops);
    }

    // not under the lock: exchanges go on, or end, in it
    private void endOnLoops() {
        for (LoopHosts each : onLoops()) {
            each.loop().execute(new Runnable() {
                @Override
                public void run() {
                    each.end();
                }
            });
        }
    }
}
