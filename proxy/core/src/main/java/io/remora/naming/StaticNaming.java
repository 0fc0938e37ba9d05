package io.remora.naming;

import io.remora.config.Address;
import io.remora.config.ClusterConfig;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;

/** Takes a cluster's endpoints from the configuration, each name resolved once. */
public final class StaticNaming {
    private StaticNaming() {}

    /**
     * Blocks while names are looked up; not for an event loop.
     *
     * @throws UnknownHostException for a name without an address; the message names the cluster and the endpoint
     */
    public static List<Endpoint> resolve(ClusterConfig cluster) throws UnknownHostException {
        List<Endpoint> endpoints = new ArrayList<>(cluster.endpoints().size());
        for (Address address : cluster.endpoints()) {
            InetSocketAddress resolved = new InetSocketAddress(address.host(), address.port());
            if (resolved.isUnresolved()) {
                throw new UnknownHostException("cluster " + cluster.name() + ": unknown host of endpoint " + address);
            }
            endpoints.add(new Endpoint(address.toString(), resolved));
        }
        return endpoints;
    }
}
