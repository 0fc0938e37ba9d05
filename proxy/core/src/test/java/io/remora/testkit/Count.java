package io.remora.testkit;

/** What a sidecar counts, by the names of its metrics: these are a promise to whoever watches it. */
public enum Count {
    EXCHANGES_STARTED("remora_exchanges_started_total"),
    EXCHANGES_FINISHED("remora_exchanges_finished_total"),
    EXCHANGES_IN_FLIGHT("remora_exchanges_in_flight"),
    EXCHANGES_CUT("remora_exchanges_cut_total"),
    RETRIES("remora_retries_total"),
    REQUEST_BODY_BYTES("remora_request_body_bytes_total"),
    RESPONSE_BODY_BYTES("remora_response_body_bytes_total"),
    CONNECTIONS_ACCEPTED("remora_frontend_connections_accepted_total"),
    CONNECTIONS_ACTIVE("remora_frontend_connections_active"),
    BACKEND_CONNECT_FAILURES("remora_backend_connect_failures_total"),
    BACKEND_CONNECTIONS_OPENED("remora_backend_connections_opened_total"),
    BACKEND_CONNECTIONS_CLOSED("remora_backend_connections_closed_total"),
    BACKEND_CONNECTIONS_REUSED("remora_backend_connections_reused_total"),
    BACKEND_CONNECTIONS_IDLE("remora_backend_connections_idle"),
    BACKEND_EXCHANGES("remora_backend_exchanges_in_flight"),
    BACKEND_POOL_EXHAUSTED("remora_backend_pool_exhausted_total"),
    DIRECT_MEMORY_BYTES("remora_jvm_direct_memory_used_bytes"),
    HEAP_MAX_BYTES("remora_jvm_heap_max_bytes"),
    OPEN_DESCRIPTORS("remora_process_open_fds");

    private final String metric;

    Count(String metric) {
        this.metric = metric;
    }

    public String metric() {
        return metric;
    }
}
