package io.remora.stages;

import io.remora.exchange.Exchange;
import io.remora.exchange.Stage;

/** Has the deadlines of gRPC's clients hold for their calls. */
public final class GrpcWait extends Stage {
    @Override
    public boolean pass(Exchange exchange) {
        exchange.grpcDeadline();
        return true;
    }
}
