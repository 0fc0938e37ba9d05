package io.remora.metrics;

import static io.remora.metrics.Family.counter;
import static io.remora.metrics.Family.gauge;

/** What is counted for each listener that speaks HTTP/2, one line a family of series. */
public enum Http2Metric implements Metric {
    CONNECTIONS(counter("remora_http2_connections_total", "Connections of clients that speak HTTP/2.")),
    CONNECTIONS_CLOSED(counter("remora_http2_connections_closed_total", "Those of them that closed.")),
    CONNECTIONS_ACTIVE(gauge("remora_http2_connections_active", "Connections that speak HTTP/2 and are open.")
            .difference(CONNECTIONS, CONNECTIONS_CLOSED)),
    STREAMS(counter("remora_http2_streams_total", "Streams that clients opened.")),
    STREAMS_CLOSED(counter("remora_http2_streams_closed_total", "Streams that ended, well or not.")),
    STREAMS_ACTIVE(
            gauge("remora_http2_streams_active", "Streams that are open.").difference(STREAMS, STREAMS_CLOSED)),
    RESETS(counter("remora_http2_resets_total", "Streams that were reset, by who did it.")
            .by("by", "client", "proxy")),
    ERRORS(counter("remora_http2_connection_errors_total", "Connections that ended because a client broke a rule.")),
    ABUSE(counter("remora_http2_abuse_total", "Connections that ended as abuse, by what was too much.")
            .by("reason"));

    @SuppressWarnings("ImmutableEnumChecker") // its arrays are never written to
    private final Family family;

    Http2Metric(Family family) {
        this.family = family.within("listener");
    }

    @Override
    public Family family() {
        return family;
    }
}
