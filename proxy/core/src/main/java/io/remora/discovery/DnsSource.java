package io.remora.discovery;

import io.remora.config.model.Address;
import java.util.List;

/**
 * A name in DNS that stands for a cluster's endpoints.
 *
 * @param name as it was written
 * @param port of each address; 0 where the name is that of a service, whose records say it; in a template {@link #PORT_OF_HOST}
 * @param servers to ask, as addresses; empty for those of the machine
 * @param minRefreshNs between two questions
 */
public record DnsSource(
        String name, int port, Family family, List<Address> servers, long minRefreshNs, long maxRefreshNs) {
    /** The one that a request names, or the default. */
    public static final int PORT_OF_HOST = -1;

    /** {@link #minRefreshNs} where the configuration says nothing. */
    public static final long MIN_REFRESH_NS = 5_000_000_000L;

    /** {@link #maxRefreshNs} where the configuration says nothing. */
    public static final long MAX_REFRESH_NS = 300_000_000_000L;

    /** The address families that are looked up. */
    public enum Family {
        /** IPv4, and IPv6 where there is none. */
        AUTO,
        IPV4,
        IPV6,
        BOTH
    }

    public boolean isService() {
        return port == 0;
    }
}
