package io.remora.metrics;

import static io.remora.metrics.Family.counter;
import static io.remora.metrics.Family.gauge;
import static io.remora.metrics.Family.histogram;

/** What is measured for each event loop, one line a family of series. */
public enum LoopMetric implements Metric {
    MEMORY_RESERVED(gauge("remora_memory_reserved_bytes", "What exchanges and connections may hold outside the heap.")),
    MEMORY_HELD(gauge(
            "remora_memory_heads_bytes",
            "Heap held for peers: heads and trailers, unfinished ones and those of exchanges.")),
    MEMORY_EXCHANGES(gauge("remora_memory_exchanges", "Exchanges that have been granted memory.")),
    MEMORY_REFUSED(counter("remora_memory_refused_total", "Exchanges refused because there was no memory for them.")),
    MEMORY_SHRUNK(counter("remora_memory_shrunk_total", "Exchanges whose buffers were made smaller.")),
    MEMORY_CUT(counter("remora_memory_cut_total", "Exchanges cut because they held much and moved little.")),
    MEMORY_YIELDED(counter(
            "remora_memory_yielded_total", "Exchanges and connections ended as their client had more than its share.")),
    MEMORY_SHED(counter("remora_memory_connections_shed_total", "Connections without an exchange that made room.")),
    MEMORY_TLS(gauge(
            "remora_memory_tls_reserved_bytes",
            "Of what is reserved, what TLS may hold for connections and handshakes.")),
    MEMORY_HANDSHAKES(gauge("remora_memory_handshakes", "Handshakes of clients that are under way.")),
    MEMORY_HANDSHAKES_CUT(counter(
            "remora_memory_handshakes_cut_total", "Handshakes of clients refused or cut because there was no memory.")),
    CONNECT_CAUSES(counter(
                    "remora_backend_connect_failure_causes_total",
                    "Connections that could not be made ready, by cause; health checks and those to sources and collectors as well.")
            .by(
                    "cause",
                    "refused",
                    "timeout",
                    "address-not-available",
                    "unreachable",
                    "reset",
                    "descriptors",
                    "handshake",
                    "other")),
    /** Counted by the watchdog alone. */
    STALLS(counter(
            "remora_event_loop_stalls_total",
            "How often an event loop has not turned for 2 s, waits for a processor excluded.")),
    LAG(histogram("remora_event_loop_lag_seconds", "How late event loops ran their timers.", "lag"));

    @SuppressWarnings("ImmutableEnumChecker") // its arrays are never written to
    private final Family family;

    LoopMetric(Family family) {
        this.family = family.within("loop");
    }

    @Override
    public Family family() {
        return family;
    }
}
