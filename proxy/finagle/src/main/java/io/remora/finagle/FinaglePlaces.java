package io.remora.finagle;

import com.twitter.finagle.Addr;
import com.twitter.finagle.Address;
import com.twitter.finagle.Addresses;
import com.twitter.finagle.Addrs;
import com.twitter.finagle.addr.WeightedAddress;
import com.twitter.util.Closable;
import io.netty.util.NetUtil;
import io.remora.cluster.Backends;
import io.remora.cluster.ClusterSource;
import io.remora.config.model.ClusterConfig;
import io.remora.config.model.LogComponent;
import io.remora.discovery.ResolverConfig;
import io.remora.log.Log;
import io.remora.metrics.NamingStats;
import io.remora.metrics.Stats;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.BoxedUnit;

/**
 * The places at which one cluster's name may end, for all event loops: other clusters' endpoints, names in DNS, and
 * serversets in ZooKeeper. Each is looked up as long as it has a watcher.
 *
 * <p>Thread safe. Bounds: {@value #MOST} places outside that are watched; each in DNS takes a thread.
 */
final class FinaglePlaces {
    private static final int MOST = 64;
    private static final String LOCALHOST = "localhost";

    private final ClusterConfig config;
    private final Board clusters;
    private final Backends backends;
    private final Stats stats;

    /** The answers of places that are no clusters. */
    private final Board others = new Board();

    private final Map<String, Lookup> lookups = new HashMap<>();

    /**
     * @param config of the cluster that has a name
     * @param clusters all of them
     */
    FinaglePlaces(ClusterConfig config, Board clusters, Backends backends, Stats stats) {
        this.config = config;
        this.clusters = clusters;
        this.backends = backends;
        this.stats = stats;
    }

    /** A lookup outside, which is repeated, or which reports changes by itself. */
    private static final class Lookup {
        int watchers;

        @Nullable
        NamingStats counts;

        @Nullable
        AutoCloseable watch;
    }

    /** Returns the last answer of a place. */
    Addr last(Place place) {
        return place.kind() == Place.Kind.CLUSTER ? clusters.last(place.text()) : others.last(keyOf(place));
    }

    private static String keyOf(Place place) {
        io.remora.config.model.Address address = place.address();
        return address == null ? place.text() : address.toString();
    }

    /**
     * Tells {@code watcher}, on any thread, whenever {@link #last} is another one.
     *
     * @return ends it
     */
    Runnable watch(Place place, Runnable watcher) {
        if (place.kind() == Place.Kind.CLUSTER) {
            return clusters.watch(place.text(), watcher);
        }
        String key = keyOf(place);
        Runnable end = others.watch(key, watcher);
        begin(key, place);
        return () -> {
            end.run();
            leave(key);
        };
    }

    private synchronized void begin(String key, Place place) {
        Lookup lookup = lookups.computeIfAbsent(key, absent -> new Lookup());
        if (lookup.watchers++ > 0) {
            return;
        }
        others.own(key, lookup);
        if (lookups.size() > MOST) {
            Log.warn(
                    LogComponent.FINAGLE,
                    "cluster " + config.name() + ": " + key + " not looked up; " + MOST
                            + " names are looked up already");
            others.tell(key, lookup, Addrs.negAddr());
            return;
        }
        io.remora.config.model.Address address = place.address();
        if (address == null) {
            serverset(key, lookup);
            return;
        }
        InetAddress literal = literal(address.host());
        if (literal == null) {
            dns(key, lookup, address);
        } else {
            Address one = Addresses.newInetAddress(new InetSocketAddress(literal, address.port()));
            others.tell(key, lookup, Addrs.newBoundAddr(List.of(one)));
        }
    }

    private void dns(String key, Lookup lookup, io.remora.config.model.Address address) {
        ResolverConfig asked = ResolverConfig.ofName(address.host(), address.port());
        ClusterSource source = FinagleCluster.source(config.name(), asked, stats, null);
        lookup.counts = source.stats();
        try {
            lookup.watch = backends.resolver(config.name() + '/' + key, asked)
                    .watch(new EndpointWatch(config.name(), source, told -> others.tell(key, lookup, told)));
        } catch (IOException e) {
            Log.warn(
                    LogComponent.FINAGLE,
                    "cluster " + config.name() + ": " + key + " failed to resolve; it has no endpoints: " + e);
            others.tell(key, lookup, Addrs.negAddr());
        }
    }

    private void serverset(String set, Lookup lookup) {
        NamingStats counts = stats.add(new NamingStats(config.name(), "zookeeper", "zookeeper:" + set));
        lookup.counts = counts;
        // the caller is an event loop, and ZooKeeper's client has a thousand classes to load
        Thread opener = new Thread(() -> open(set, lookup, counts), "remora-zookeeper-" + config.name());
        opener.setDaemon(true);
        opener.start();
    }

    private void open(String set, Lookup lookup, NamingStats counts) {
        Closable watch;
        try {
            watch = Serversets.of(set).changes().respond(told -> {
                serversetSays(set, lookup, counts, told);
                return BoxedUnit.UNIT;
            });
        } catch (RuntimeException | LinkageError e) {
            serversetSays(set, lookup, counts, new Addr.Failed(e));
            others.tell(set, lookup, Addrs.negAddr());
            return;
        }
        boolean wanted;
        synchronized (this) {
            lookup.watch = watch::close;
            wanted = lookup.watchers > 0;
        }
        if (!wanted) {
            watch.close();
        }
    }

    // a failure leaves the last answer in place
    private void serversetSays(String set, Lookup lookup, NamingStats counts, Addr told) {
        long nowMs = System.currentTimeMillis();
        if (told instanceof Addr.Bound bound) {
            others.tell(set, lookup, plain(bound));
            counts.answered(NamingStats.BOUND, bound.addrs().size(), nowMs);
        } else if (told instanceof Addr.Neg$) {
            others.tell(set, lookup, Addrs.negAddr());
            counts.answered(NamingStats.EMPTY, 0, nowMs);
        } else if (told instanceof Addr.Failed failed) {
            counts.failed(failed.cause().toString());
            Log.warn(
                    LogComponent.FINAGLE,
                    "cluster " + config.name() + ": serverset " + set + " cannot be read; keeping what it had: "
                            + failed.cause());
        }
    }

    /** Returns the endpoints without Finagle's data about shards, so that an endpoint is the same from every source. */
    private static Addr plain(Addr.Bound bound) {
        List<Address> all = new ArrayList<>();
        for (Address each : CollectionConverters.asJava(bound.addrs())) {
            if (each instanceof Address.Inet inet) {
                double weight = WeightedAddress.extract(each)._2$mcD$sp();
                Address plain = Addresses.newInetAddress(inet.addr());
                all.add(weight == 1 ? plain : WeightedAddress.apply(plain, weight));
            }
        }
        return Addrs.newBoundAddr(all);
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
        others.end(key, lookup);
        if (lookup.counts != null) {
            stats.remove(lookup.counts);
        }
        if (lookup.watch != null) {
            try {
                lookup.watch.close();
            } catch (Exception e) {
                Log.warn(
                        LogComponent.FINAGLE,
                        "cluster " + config.name() + ": " + key + " failed to stop; continuing: " + e);
            }
        }
    }
}
