package io.remora.stages;

import io.remora.exchange.Stage;
import io.remora.exchange.StagedRequest;
import io.remora.http.Failure;

/** Refuses exchanges beyond the listener's bound on those in flight, and those for which there is no memory. */
public final class Admit extends Stage {
    @Override
    public boolean pass(StagedRequest exchange) {
        int limit = exchange.snapshot().config().limits().inFlightExchanges();
        if (exchange.listener().admission().inFlight() > limit
                || !exchange.grant().take(exchange.head(), exchange.claimant())) {
            exchange.fail(Failure.OVERLOADED);
            return false;
        }
        return true;
    }
}
