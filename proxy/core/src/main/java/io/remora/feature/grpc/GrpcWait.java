package io.remora.feature.grpc;

import io.remora.exchange.Stage;
import io.remora.exchange.StagedRequest;

/** Applies the deadlines of gRPC's clients to their calls. */
final class GrpcWait extends Stage {
    @Override
    public boolean pass(StagedRequest exchange) {
        GrpcDeadline deadline = exchange.isGrpcCall() ? GrpcDeadline.of(exchange.head().fields) : null;
        if (deadline != null) {
            exchange.callerDeadline(deadline);
        }
        return true;
    }
}
