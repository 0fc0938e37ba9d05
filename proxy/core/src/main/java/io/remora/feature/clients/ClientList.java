package io.remora.feature.clients;

import io.remora.text.IpAddress;
import io.remora.trust.Cidrs;

/**
 * Says which clients are let in by their addresses: none that is denied, and where some are allowed, no other, not even one that has no
 * address.
 *
 * <p>Owner: an event loop. Cost: no allocation; a comparison for each network.
 */
final class ClientList {
    private final Cidrs allow;
    private final Cidrs deny;
    private final boolean allowsAny;
    private final IpAddress address = new IpAddress();

    ClientList(ClientsConfig config) {
        this.allow = new Cidrs(config.allow());
        this.deny = new Cidrs(config.deny());
        this.allowsAny = config.allow().isEmpty();
    }

    /**
     * @param client without brackets or port
     */
    boolean admits(String client) {
        return address.parse(client) ? !deny.contain(address) && (allowsAny || allow.contain(address)) : allowsAny;
    }
}
