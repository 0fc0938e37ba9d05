package io.remora.naming;

import io.remora.config.Address;
import io.remora.config.ClusterConfig;
import io.remora.config.EndpointConfig;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The endpoints that the configuration lists, each name looked up once. Immutable. */
public final class StaticResolver implements Resolver, AutoCloseable {
    private final Addr addr;

    private StaticResolver(Addr addr) {
        this.addr = addr;
    }

    /**
     * Blocks while names are looked up; not for an event loop.
     *
     * @throws UnknownHostException for a name without an address; the message names the cluster and the endpoint
     */
    public static StaticResolver of(ClusterConfig cluster) throws UnknownHostException {
        List<Endpoint> endpoints = new ArrayList<>(cluster.endpoints().size());
        for (int i = 0; i < cluster.endpoints().size(); i++) {
            Address address = cluster.endpoints().get(i);
            InetSocketAddress resolved = new InetSocketAddress(address.host(), address.port());
            if (resolved.isUnresolved()) {
                throw new UnknownHostException("cluster " + cluster.name() + ": unknown host of endpoint " + address);
            }
            EndpointConfig more =
                    cluster.details().isEmpty() ? null : cluster.details().get(i);
            if (more == null) {
                endpoints.add(Endpoint.of(address.toString(), resolved));
            } else if (more.weight() > 0) {
                endpoints.add(new Endpoint(address.toString(), resolved, more.weight(), metadata(more)));
            }
        }
        return new StaticResolver(new Addr.Bound(endpoints));
    }

    private static Map<String, String> metadata(EndpointConfig endpoint) {
        if (endpoint.priority() == 0 && endpoint.zone().isEmpty()) {
            return Map.of();
        }
        String priority = Integer.toString(endpoint.priority());
        return endpoint.zone().isEmpty()
                ? Map.of(Endpoint.PRIORITY, priority)
                : Map.of(Endpoint.PRIORITY, priority, Endpoint.ZONE, endpoint.zone());
    }

    @Override
    public AutoCloseable watch(Watcher watcher) {
        watcher.changed(addr);
        return this;
    }

    /** Nothing is told a second time, so that nothing is left to end. */
    @Override
    public void close() {}
}
