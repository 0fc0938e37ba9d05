package io.remora.stages;

import io.remora.exchange.Stage;
import io.remora.exchange.StagedRequest;

/** Has the deadlines of gRPC's clients hold for their calls. */
public final class GrpcWait extends Stage {
    @Override
    public boolean pass(StagedRequest exchange) {
        exchange.grpcDeadline();
        return true;
    }
}
