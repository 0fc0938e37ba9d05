package io.remora.finagle;

import com.twitter.finagle.Addr;
import com.twitter.finagle.Address;
import com.twitter.finagle.addr.WeightedAddress;
import io.remora.metrics.EndpointMetric;
import io.remora.metrics.EndpointStats;
import io.remora.metrics.Stats;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The counts of one event loop for the endpoints of a cluster. They begin with the first answer that names an endpoint,
 * and end once it is gone and its last connection has closed.
 *
 * <p>Owner: the event loop. Bounds: an entry for each endpoint that an answer names, or that has a connection or a
 * pool.
 */
final class EndpointCounts {
    /** The time for which others are preferred to an endpoint to which a connect has failed. */
    private static final long AVOIDED_NS = 1_000_000_000L;

    private final String cluster;
    private final Stats stats;
    private final BooleanSupplier lastsToTheEnd;
    private final Map<String, Entry> entries = new HashMap<>();
    /** The last answer of each source of endpoints. */
    private final Map<Object, Addr> answers = new HashMap<>(2);
    /** True once the cluster is going, so that its pools are kept only for exchanges that still know it. */
    private boolean leaving;

    /**
     * @param lastsToTheEnd whether the process ends, so that all counts stay for the last scrape
     */
    EndpointCounts(String cluster, Stats stats, BooleanSupplier lastsToTheEnd) {
        this.cluster = cluster;
        this.stats = stats;
        this.lastsToTheEnd = lastsToTheEnd;
    }

    static String nameOf(InetSocketAddress address) {
        return address.getHostString() + ':' + address.getPort();
    }

    /** The counts of an endpoint. */
    final class Entry {
        final String name;
        final EndpointStats counts;
        private boolean told;
        /** True if an answer names it together with others. */
        private boolean others;
        /** Pools that make connections to it. */
        private int pools;
        /** Connects that have not ended. */
        private int connecting;
        /** Connections that have not closed. */
        private final List<HttpCodec> open = new ArrayList<>();
        /**
         * True if the last connect that ended has failed, and the time of that; operators read both on another thread.
         */
        private volatile boolean connectFailed;

        private volatile long failedAtNs;

        private Entry(String name) {
            this.name = name;
            this.counts = stats.add(new EndpointStats(cluster, name));
        }

        void connecting() {
            connecting++;
            // one of a cluster that is going, whose series have ended, and for a request that is late
            if (entries.putIfAbsent(name, this) == null) {
                stats.add(counts);
            }
            counts.increment(EndpointMetric.CONNECTS);
        }

        void connected(HttpCodec connection) {
            connecting--;
            connectFailed = false;
            counts.increment(EndpointMetric.OPENED);
            open.add(connection);
        }

        /**
         * @param avoid whether others are preferred to it for a while
         */
        void connectFailed(boolean avoid) {
            connecting--;
            counts.increment(EndpointMetric.CONNECT_FAILURES);
            if (avoid) {
                failedAtNs = System.nanoTime();
                connectFailed = true;
            }
            endIfUnused();
        }

        /** Returns whether a balancer can pick another endpoint instead. */
        boolean hasOthers() {
            return others;
        }

        /** Returns whether a connect has failed a short time ago, and none has succeeded since. */
        boolean isAvoided() {
            return connectFailed && System.nanoTime() - failedAtNs < AVOIDED_NS;
        }

        void closed(HttpCodec connection) {
            counts.increment(EndpointMetric.CLOSED);
            open.remove(connection);
            endIfUnused();
        }

        /** Closes the connections that rest. */
        void closeIdle() {
            for (HttpCodec connection : List.copyOf(open)) {
                connection.closeIfIdle();
            }
        }

        void poolEnded() {
            pools--;
            endIfUnused();
        }

        private boolean isUsed() {
            return told || pools > 0 && !leaving || connecting > 0 || !open.isEmpty();
        }

        private void endIfUnused() {
            if (!isUsed() && !lastsToTheEnd.getAsBoolean() && entries.remove(name, this)) {
                stats.remove(counts);
            }
        }
    }

    /** Returns the counts for a pool, which owes {@link Entry#poolEnded}. */
    Entry of(InetSocketAddress address) {
        Entry entry = entries.computeIfAbsent(nameOf(address), Entry::new);
        entry.pools++;
        return entry;
    }

    /** Returns the counts, null where there is no pool. */
    @Nullable
    Entry known(InetSocketAddress address) {
        return entries.get(nameOf(address));
    }

    /** Applies the endpoints that {@code source} knows of from now on; nothing is applied once the cluster is going. */
    void apply(Object source, Addr answer) {
        if (leaving) {
            return;
        }
        if (answer instanceof Addr.Bound) {
            answers.put(source, answer);
        } else {
            answers.remove(source);
        }
        for (Entry entry : entries.values()) {
            entry.told = false;
            entry.others = false;
        }
        for (Addr each : answers.values()) {
            if (each instanceof Addr.Bound bound) {
                told(bound);
            }
        }
        endUnused();
    }

    private void told(Addr.Bound answer) {
        Map<String, Map<String, String>> metadata = EndpointWatch.metadata(answer);
        for (Address each : CollectionConverters.asJava(answer.addrs())) {
            if (each instanceof Address.Inet inet) {
                Entry entry = entries.computeIfAbsent(nameOf(inet.addr()), Entry::new);
                entry.told = true;
                entry.others |= answer.addrs().size() > 1;
                double weight = WeightedAddress.extract(each)._2$mcD$sp();
                entry.counts.describe((int) Math.ceil(weight), metadata.getOrDefault(entry.name, Map.of()));
            }
        }
    }

    /** Ends the cluster's use of its endpoints: each goes with its last connection, though a pool is kept. */
    void leave() {
        leaving = true;
        for (Entry entry : entries.values()) {
            entry.told = false;
        }
        closeIdle();
        endUnused();
    }

    /** Closes the connections that rest. */
    void closeIdle() {
        // an entry goes with its last connection
        for (Entry entry : List.copyOf(entries.values())) {
            entry.closeIdle();
        }
    }

    private void endUnused() {
        for (Entry entry : List.copyOf(entries.values())) {
            entry.endIfUnused();
        }
    }
}
