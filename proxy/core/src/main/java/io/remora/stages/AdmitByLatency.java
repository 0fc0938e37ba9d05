package io.remora.stages;

import io.remora.exchange.AdaptiveLimit;
import io.remora.exchange.Stage;
import io.remora.exchange.StagedRequest;
import io.remora.http.Failure;

/** Refuses exchanges beyond what the backend answers in good time. Loaded only where admission is adaptive. */
public final class AdmitByLatency extends Stage {
    @Override
    public boolean pass(StagedRequest exchange) {
        AdaptiveLimit limit = exchange.listener().admission().adaptive();
        if (limit == null) {
            return true;
        }
        if (!limit.enter()) {
            exchange.fail(Failure.SHED);
            return false;
        }
        exchange.join(new AwaitedResponse(exchange, limit));
        return true;
    }
}
