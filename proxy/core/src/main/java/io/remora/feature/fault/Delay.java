package io.remora.feature.fault;

import io.remora.exchange.Filter;
import io.remora.exchange.RequestView;
import io.remora.exchange.StagedRequest;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** The delay of one exchange: ends with its time, or with the exchange. Owner: the exchange. Cost: a timer of the event loop. */
final class Delay extends Filter implements Runnable {
    private final StagedRequest exchange;
    private final InjectFaults stage;
    private final FaultConfig fault;
    private final ActiveFaults counts;
    private @Nullable Future<?> timer;
    private boolean over;

    Delay(StagedRequest exchange, InjectFaults stage, FaultConfig fault, ActiveFaults counts) {
        this.exchange = exchange;
        this.stage = stage;
        this.fault = fault;
        this.counts = counts;
    }

    void begin(long delayNs) {
        timer = exchange.listener().loop().after(this, delayNs);
    }

    @Override
    public void run() {
        if (!over) {
            end();
            if (!stage.aborts(exchange, fault, counts)) {
                exchange.resume();
            }
        }
    }

    @Override
    public void ended(RequestView ended) {
        if (!over) {
            end();
            if (timer != null) {
                timer.cancel(false);
            }
        }
    }

    private void end() {
        over = true;
        counts.end();
    }
}
