package io.remora.metrics;

import static io.remora.metrics.Family.counter;
import static io.remora.metrics.Family.gauge;

/** The metrics of each listener that detects the protocol of its clients, one line per family. */
public enum DetectMetric implements Metric {
    CONNECTIONS(counter("remora_detect_connections_total", "Connections of clients, by detected protocol.")
            .by(
                    "result",
                    DetectStats.HTTP1,
                    DetectStats.HTTP2,
                    DetectStats.TLS,
                    DetectStats.TCP,
                    DetectStats.SILENT,
                    DetectStats.UNFINISHED,
                    DetectStats.ENDED,
                    DetectStats.LOST)),
    UNDECIDED(gauge("remora_detect_undecided", "Connections whose protocol is not detected yet."));

    @SuppressWarnings("ImmutableEnumChecker") // its arrays are never written to
    private final Family family;

    DetectMetric(Family family) {
        this.family = family.within("listener");
    }

    @Override
    public Family family() {
        return family;
    }
}
