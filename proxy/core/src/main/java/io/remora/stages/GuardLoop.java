package io.remora.stages;

import io.remora.exchange.Stage;
import io.remora.exchange.StagedRequest;
import io.remora.http.Failure;

/** Refuses a request that has been through this sidecar before. Spec: RFC 9110 section 7.6. */
public final class GuardLoop extends Stage {
    @Override
    public boolean pass(StagedRequest exchange) {
        if (exchange.listener().via().isLoop(exchange.head())) {
            exchange.fail(Failure.LOOP);
            return false;
        }
        return true;
    }
}
