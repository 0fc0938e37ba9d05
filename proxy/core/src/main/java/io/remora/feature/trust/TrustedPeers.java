package io.remora.feature.trust;

import io.remora.http.Fields;
import io.remora.text.IpAddress;
import io.remora.trust.Cidrs;
import io.remora.trust.Identities;
import org.jspecify.annotations.Nullable;

/**
 * Decides if the fields about a request's way here are trusted, and who the client is then.
 *
 * <p>With networks and identities, a trusted peer is trusted as to the hop before it, that one too where it is in a
 * trusted network, and so on; the first that is not is the client. With a number of hops, so many proxies stand in
 * front of the listener, the first of which has added the client to the list; a shorter list did not come through all
 * of them.
 *
 * <p>Owner: an event loop. Cost: a string for a client that is not the peer. Bounds: {@value #MAX_HOPS} hops; the last
 * of them is the client where all are trusted.
 */
final class TrustedPeers {
    private static final int MAX_HOPS = 32;

    private final Cidrs cidrs;
    private final Identities identities;
    private final int hops;
    private final HopList list;
    private final IpAddress peer = new IpAddress();
    private @Nullable String client;

    public TrustedPeers(TrustConfig config) {
        this.cidrs = new Cidrs(config.cidrs());
        this.identities = new Identities(config.identities());
        this.hops = config.hops();
        this.list = new HopList(config.forwarded());
    }

    /**
     * @param address of the peer, without brackets or port
     * @param identity that the peer has proved, null for none
     */
    public boolean believe(Fields fields, String address, @Nullable String identity) {
        client = null;
        if (hops > 0) {
            return count(fields);
        }
        if (!identities.contain(identity) && !(peer.parse(address) && cidrs.contain(peer))) {
            return false;
        }
        walk(fields);
        return true;
    }

    private boolean count(Fields fields) {
        list.begin(fields);
        for (int i = 1; i <= hops; i++) {
            if (!list.next()) {
                return false;
            }
        }
        if (!list.isAddress()) {
            return false;
        }
        client = list.text(list.from(), list.to());
        return true;
    }

    private void walk(Fields fields) {
        int from = 0;
        int to = 0;
        list.begin(fields);
        for (int i = 0; i < MAX_HOPS && list.next() && list.isAddress(); i++) {
            from = list.from();
            to = list.to();
            if (!cidrs.contain(list.address())) {
                break;
            }
        }
        if (to > 0) {
            client = list.text(from, to);
        }
    }

    /** Returns the client of the latest trusted request; null where it is the peer itself. */
    public @Nullable String client() {
        return client;
    }
}
