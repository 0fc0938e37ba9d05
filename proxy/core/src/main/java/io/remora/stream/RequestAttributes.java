package io.remora.stream;

import io.remora.http.RequestDtab;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * The properties of a request that decide to which endpoint it goes, and over which connection. An attempt makes it when an engine, a
 * balancer or a pool asks for the first time; with one endpoint and a version of the cluster's own none does.
 *
 * @param multiplexed whether it came by a version of which a connection carries many; for clusters that use the client's version
 * @param clientAddress the client's, without a port; empty where it is not known
 * @param originalDestination that of its connection before it was redirected here; null where it was not
 * @param dtab delegations of its route, for engines that know names; empty for none
 * @param requestDtab those that it has brought itself, which win; null where it has none, or they are not trusted
 */
public record RequestAttributes(
        boolean multiplexed,
        String clientAddress,
        @Nullable InetSocketAddress originalDestination,
        String dtab,
        @Nullable RequestDtab requestDtab) {
    /** Attributes of a request that no client has sent, such as a health check. */
    static final RequestAttributes NONE = ofClient("");

    /** Returns the attributes of a request whose client alone is known. */
    public static RequestAttributes ofClient(String address) {
        return new RequestAttributes(false, address, null, "", null);
    }
}
