package io.remora.feature.trust;

import io.remora.exchange.Stage;
import io.remora.exchange.StagedRequest;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.Forwarding;
import java.util.List;

/** Takes the client's address from a trusted peer, and drops the fields about it from others. */
final class TrustPeers extends Stage {
    private final TrustedPeers peers;
    private final List<FieldName> believed;

    /** @param believed further fields, which only trusted peers may send */
    TrustPeers(TrustConfig trust, List<FieldName> believed) {
        this.believed = believed;
        this.peers = new TrustedPeers(trust);
    }

    @Override
    public boolean pass(StagedRequest exchange) {
        Fields fields = exchange.head().fields;
        if (!peers.believe(fields, exchange.peer(), exchange.identity())) {
            Forwarding.drop(fields);
            for (FieldName name : believed) {
                fields.remove(name);
            }
            return true;
        }
        exchange.believe();
        String client = peers.client();
        if (client != null) {
            exchange.client(client);
        }
        return true;
    }
}
