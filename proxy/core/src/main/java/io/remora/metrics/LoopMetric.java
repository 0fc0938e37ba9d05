package io.remora.metrics;

import static io.remora.metrics.Family.counter;
import static io.remora.metrics.Family.gauge;
import static io.remora.metrics.Family.histogram;

/** The metrics of each event loop, one line per family. */
public enum LoopMetric implements Metric {
    MEMORY_RESERVED(gauge(
            "remora_memory_reserved_bytes", "Memory outside the heap that exchanges and connections have reserved.")),
    MEMORY_HELD(gauge(
            "remora_memory_heads_bytes", "Heap used for header and trailer sections, including incomplete ones.")),
    MEMORY_EXCHANGES(gauge("remora_memory_exchanges", "Exchanges with a memory grant.")),
    MEMORY_REFUSED(counter("remora_memory_refused_total", "Exchanges refused for lack of memory.")),
    MEMORY_SHRUNK(counter("remora_memory_shrunk_total", "Exchanges whose buffers were shrunk.")),
    MEMORY_CUT(
            counter("remora_memory_cut_total", "Exchanges ended because they held much memory and moved few bytes.")),
    MEMORY_YIELDED(counter(
            "remora_memory_yielded_total", "Exchanges and connections ended because their client exceeded its share.")),
    MEMORY_SHED(counter("remora_memory_connections_shed_total", "Idle connections closed to make room.")),
    MEMORY_TLS(gauge(
            "remora_memory_tls_reserved_bytes",
            "The part of the reserved memory that TLS connections and handshakes may use.")),
    MEMORY_HANDSHAKES(gauge("remora_memory_handshakes", "Client connections in their TLS handshake, or before it.")),
    MEMORY_HANDSHAKES_WAITING(gauge(
            "remora_memory_handshakes_waiting",
            "Client connections among those in remora_memory_handshakes that wait for memory for their handshake.")),
    MEMORY_HANDSHAKES_CUT(counter(
            "remora_memory_handshakes_cut_total",
            "Client connections cut in or before their TLS handshake for lack of memory.")),
    CONNECT_CAUSES(counter(
                    "remora_backend_connect_failure_causes_total",
                    "Connections that failed before use, by cause; includes health checks, sources and collectors.")
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
            "remora_event_loop_stalls_total", "Stalls of an event loop of at least 2 s, without waiting for a CPU.")),
    LAG(histogram("remora_event_loop_lag_seconds", "Delay of event loop timers.", "lag"));

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
