package io.remora.stages;

import io.remora.exchange.Exchange;
import io.remora.exchange.GrpcCall;
import io.remora.exchange.Stage;

/** Recognizes the calls of gRPC, for which their clients' deadlines hold. Cost: a look at one field of other requests. */
public final class KnowGrpc extends Stage {
    @Override
    public boolean pass(Exchange exchange) {
        if (exchange.head().isGrpc()) {
            exchange.grpc(new GrpcCall(exchange.listener().grpc()));
        }
        return true;
    }
}
