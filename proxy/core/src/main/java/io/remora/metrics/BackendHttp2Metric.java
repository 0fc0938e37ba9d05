package io.remora.metrics;

import static io.remora.metrics.Family.counter;

/** The metrics of each cluster with HTTP/2 endpoints, one line per family. */
public enum BackendHttp2Metric implements Metric {
    STREAMS(counter("remora_backend_http2_streams_total", "Streams opened to endpoints.")),
    RESETS(counter("remora_backend_http2_resets_total", "Resets of streams to endpoints, by side.")
            .by("by", "endpoint", "sidecar")),
    REFUSED(counter(
            "remora_backend_http2_refused_streams_total",
            "Streams that endpoints refused unprocessed, by a reset or a GOAWAY.")),
    GOAWAYS(counter("remora_backend_http2_goaways_total", "GOAWAYs on connections to endpoints, by sender.")
            .by("by", "endpoint", "sidecar")),
    ENDED(counter(
                    "remora_backend_http2_connections_ended_total",
                    "Connections that the sidecar ended for an endpoint's fault, by fault.")
            .by("why", "protocol", "flood", "silence"));

    @SuppressWarnings("ImmutableEnumChecker") // its arrays are never written to
    private final Family family;

    BackendHttp2Metric(Family family) {
        this.family = family.within("cluster");
    }

    @Override
    public Family family() {
        return family;
    }
}
