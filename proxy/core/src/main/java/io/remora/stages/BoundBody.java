package io.remora.stages;

import io.remora.exchange.Stage;
import io.remora.exchange.StagedRequest;
import io.remora.http.Failure;

/** Refuses a body that is announced to be larger than allowed; one that turns out to be is cut by the exchange. */
public final class BoundBody extends Stage {
    @Override
    public boolean pass(StagedRequest exchange) {
        if (exchange.announcesMoreThan(exchange.snapshot().config().limits().bodyBytes())) {
            exchange.fail(Failure.BODY_TOO_LARGE);
            return false;
        }
        return true;
    }
}
