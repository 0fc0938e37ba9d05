package io.remora.naming;

import io.remora.config.model.Address;
import io.remora.config.model.ClusterConfig;
import io.remora.config.model.EndpointConfig;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;

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
        // loaded where a cluster has more than the addresses of its endpoints
        Described described = cluster.details().isEmpty() ? null : new Described();
        for (int i = 0; i < cluster.endpoints().size(); i++) {
            Address address = cluster.endpoints().get(i);
            SocketAddress resolved =
                    address.isUnix() ? UnixEndpoint.address(address.host()) : resolve(address, cluster);
            if (described == null) {
                endpoints.add(Endpoint.of(address.toString(), resolved));
                continue;
            }
            EndpointConfig more = cluster.details().get(i);
            if (more.weight() > 0) {
                endpoints.add(described.of(address.toString(), resolved, more.weight(), more.zone(), more.priority()));
            }
        }
        return new StaticResolver(new Addr.Bound(endpoints));
    }

    private static SocketAddress resolve(Address address, ClusterConfig cluster) throws UnknownHostException {
        InetSocketAddress resolved = new InetSocketAddress(address.host(), address.port());
        if (resolved.isUnresolved()) {
            throw new UnknownHostException("cluster " + cluster.name() + ": unknown host of endpoint " + address);
        }
        return resolved;
    }

    @Override
    public AutoCloseable watch(Watcher watcher) {
        watcher.changed(addr);
        return this;
    }

    /** Does nothing: a watcher hears of static endpoints once, and nothing is left to end. */
    @Override
    public void close() {}
}
