package io.remora.finagle;

import com.twitter.finagle.Addr;
import com.twitter.finagle.Address;
import com.twitter.finagle.Addresses;
import com.twitter.finagle.Addrs;
import io.netty.util.NetUtil;
import io.remora.cluster.ClusterSource;
import io.remora.cluster.Resolvers;
import io.remora.config.ClusterConfig;
import io.remora.config.ResolverConfig;
import io.remora.log.Log;
import io.remora.metrics.NamingStats;
import io.remora.metrics.Stats;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What one cluster's name may end at, for all event loops: other clusters' endpoints, and names in DNS, which are asked for as long
 * as somebody wants to know.
 *
 * <p>Thread safe. Bounds: the places that are watched.
 */
final class Places {
    private static final String LOCALHOST = "localhost";

    private final ClusterConfig config;
    private final Board clusters;
    private final Resolvers resolvers;
    private final Stats stats;

    private final Board hosts = new Board();
    private final Map<String, Lookup> lookups = new HashMap<>();

    /**
     * @param config of the cluster that has a name
     * @param clusters all of them
     */
    Places(ClusterConfig config, Board clusters, Resolvers resolvers, Stats stats) {
        this.config = config;
        this.clusters = clusters;
        this.resolvers = resolvers;
        this.stats = stats;
    }

    /** A question to DNS that is asked again and again. */
    private static final class Lookup {
        int watchers;

        @Nullable
        NamingStats counts;

        @Nullable
        AutoCloseable watch;
    }

    /** What is known of it. */
    Addr last(Place place) {
        io.remora.config.Address address = place.address();
        return address == null ? clusters.last(place.cluster()) : hosts.last(address.toString());
    }

    /**
     * Tells {@code watcher}, on any thread, whenever {@link #last} is another one.
     *
     * @return ends it
     */
    Runnable watch(Place place, Runnable watcher) {
        io.remora.config.Address address = place.address();
        if (address == null) {
            return clusters.watch(place.cluster(), watcher);
        }
        String key = address.toString();
        Runnable end = hosts.watch(key, watcher);
        begin(key, address);
        return () -> {
            end.run();
            leave(key);
        };
    }

    private synchronized void begin(String key, io.remora.config.Address address) {
        Lookup lookup = lookups.computeIfAbsent(key, absent -> new Lookup());
        if (lookup.watchers++ > 0) {
            return;
        }
        hosts.own(key, lookup);
        InetAddress literal = literal(address.host());
        if (literal != null) {
            Address one = Addresses.newInetAddress(new InetSocketAddress(literal, address.port()));
            hosts.tell(key, lookup, Addrs.newBoundAddr(List.of(one)));
            return;
        }
        ResolverConfig asked = ResolverConfig.ofName(address.host(), address.port());
        NamingStats counts = stats.add(new NamingStats(config.name(), asked.kind(), asked.source()));
        lookup.counts = counts;
        ClusterSource source = new ClusterSource(config.name(), asked, counts);
        try {
            lookup.watch = resolvers
                    .of(config.with(config.name() + '/' + key, asked))
                    .watch(new EndpointWatch(config.name(), source, told -> hosts.tell(key, lookup, told)));
        } catch (IOException e) {
            Log.warn("cluster " + config.name() + ": " + key + " cannot be asked for: " + e);
            hosts.tell(key, lookup, Addrs.negAddr());
        }
    }

    private static @Nullable InetAddress literal(String host) {
        return host.equals(LOCALHOST)
                ? InetAddress.getLoopbackAddress()
                : NetUtil.createInetAddressFromIpAddressString(host);
    }

    private synchronized void leave(String key) {
        Lookup lookup = lookups.get(key);
        if (lookup == null || --lookup.watchers > 0) {
            return;
        }
        lookups.remove(key);
        hosts.end(key, lookup);
        if (lookup.counts != null) {
            stats.remove(lookup.counts);
        }
        if (lookup.watch != null) {
            try {
                lookup.watch.close();
            } catch (Exception e) {
                Log.warn("cluster " + config.name() + ": " + key + " did not end in order: " + e);
            }
        }
    }
}
