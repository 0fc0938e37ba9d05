package io.remora.metrics;

import static io.remora.metrics.Family.counter;
import static io.remora.metrics.Family.gauge;

/** The metrics of each listener with HTTP/2, one line per family. */
public enum Http2Metric implements Metric {
    CONNECTIONS(counter("remora_http2_connections_total", "HTTP/2 connections of clients.")),
    CONNECTIONS_CLOSED(counter("remora_http2_connections_closed_total", "HTTP/2 connections of clients that closed.")),
    CONNECTIONS_ACTIVE(gauge("remora_http2_connections_active", "Open HTTP/2 connections of clients.")
            .difference(CONNECTIONS, CONNECTIONS_CLOSED)),
    STREAMS(counter("remora_http2_streams_total", "Streams that clients opened.")),
    STREAMS_CLOSED(
            counter("remora_http2_streams_closed_total", "Streams that ended, whether they succeeded or failed.")),
    STREAMS_ACTIVE(gauge("remora_http2_streams_active", "Open streams.").difference(STREAMS, STREAMS_CLOSED)),
    RESETS(counter("remora_http2_resets_total", "Stream resets, by side.").by("by", "client", "proxy")),
    ERRORS(counter("remora_http2_connection_errors_total", "Connections ended for a protocol error of the client.")),
    ABUSE(counter("remora_http2_abuse_total", "Connections ended for abuse, by reason.")
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
