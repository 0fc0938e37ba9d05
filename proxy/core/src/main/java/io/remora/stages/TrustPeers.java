package io.remora.stages;

import io.remora.config.TrustConfig;
import io.remora.exchange.Exchange;
import io.remora.exchange.Stage;
import io.remora.http.Fields;
import io.remora.http.Forwarding;
import io.remora.trust.TrustedPeers;
import java.util.List;

/** Learns from a believed peer who the client is, and drops what others say of that. */
public final class TrustPeers extends Stage {
    private final TrustedPeers peers;
    private final List<String> believed;

    /**
     * @param believed names of further fields, which only those say who are believed
     */
    public TrustPeers(TrustConfig trust, List<String> believed) {
        this.believed = believed;
        this.peers = new TrustedPeers(trust);
    }

    @Override
    public boolean pass(Exchange exchange) {
        Fields fields = exchange.head().fields;
        if (!peers.believe(fields, exchange.peer(), exchange.identity())) {
            Forwarding.drop(fields);
            for (String name : believed) {
                fields.remove(name);
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
