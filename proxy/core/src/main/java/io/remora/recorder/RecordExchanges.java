package io.remora.recorder;

import io.remora.exchange.Stage;
import io.remora.exchange.StagedRequest;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Records slow exchanges and failed attempts.
 *
 * <p>Cost: one volatile read per exchange, and a filter with an event for each one while a recording is running.
 */
final class RecordExchanges extends Stage {
    private final AtomicBoolean running;

    /**
     * @param running whether events are recorded
     */
    RecordExchanges(AtomicBoolean running) {
        this.running = running;
    }

    @Override
    public boolean pass(StagedRequest exchange) {
        if (running.get()) {
            exchange.join(new RecordedExchange(exchange.snapshot().config().name()));
        }
        return true;
    }
}
