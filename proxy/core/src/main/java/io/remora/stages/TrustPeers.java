package io.remora.stages;

import io.remora.config.TrustConfig;
import io.remora.exchange.Exchange;
import io.remora.exchange.Stage;
import io.remora.http.Fields;
import io.remora.http.Forwarding;
import io.remora.trust.TrustedPeers;
import org.jspecify.annotations.Nullable;

/** Learns from a believed peer who the client is, and drops what others say of that. */
public final class TrustPeers extends Stage {
    private final TrustedPeers peers;
    private final @Nullable String waits;

    /**
     * @param waits the field by which callers say how long they wait, null for none
     */
    public TrustPeers(TrustConfig trust, @Nullable String waits) {
        this.waits = waits;
        this.peers = new TrustedPeers(trust);
    }

    @Override
    public boolean pass(Exchange exchange) {
        Fields fields = exchange.head().fields;
        if (!peers.believe(fields, exchange.peer(), exchange.identity())) {
            Forwarding.drop(fields);
            if (waits != null) {
                fields.remove(waits);
            }
            return true;
        }
        String client = peers.client();
        if (client != null) {
            exchange.client(client);
        }
        return true;
    }
}
