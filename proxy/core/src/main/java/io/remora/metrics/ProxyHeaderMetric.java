package io.remora.metrics;

import static io.remora.metrics.Family.counter;

/** The metrics of each listener that reads the PROXY protocol, one line per family. */
public enum ProxyHeaderMetric implements Metric {
    HEADERS(counter("remora_proxy_headers_total", "Connections that require a PROXY header, by outcome.")
            .by("outcome", "taken", "own", "refused"));

    @SuppressWarnings("ImmutableEnumChecker") // its arrays are never written to
    private final Family family;

    ProxyHeaderMetric(Family family) {
        this.family = family.within("listener");
    }

    @Override
    public Family family() {
        return family;
    }
}
