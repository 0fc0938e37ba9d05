package io.remora.metrics;

/**
 * Everything that is exposed, a line each: name, type, and what it says.
 *
 * <p>Bounds: the labels are listener, class, failure, cluster, endpoint, loop, collector, segment and version: all of
 * them from the configuration, the code or the JVM, none from traffic.
 */
enum Metric {
    EXCHANGES_STARTED("remora_exchanges_started_total", "counter", "Requests read, or failed while being read."),
    EXCHANGES_FINISHED("remora_exchanges_finished_total", "counter", "Exchanges that ended, well or not."),
    EXCHANGES_IN_FLIGHT("remora_exchanges_in_flight", "gauge", "Exchanges under way."),
    EXCHANGES_CUT("remora_exchanges_cut_total", "counter", "Exchanges cut because a drain ran out of time."),
    RETRIES("remora_retries_total", "counter", "Requests sent again on a fresh backend connection."),
    REQUEST_BODY("remora_request_body_bytes_total", "counter", "Bytes of bodies and tunnels read from clients."),
    RESPONSE_BODY("remora_response_body_bytes_total", "counter", "Bytes of bodies and tunnels written to clients."),
    FRONTEND_ACCEPTED("remora_frontend_connections_accepted_total", "counter", "Connections accepted from clients."),
    FRONTEND_ACTIVE("remora_frontend_connections_active", "gauge", "Connections of clients that are open."),
    RESPONSES("remora_responses_total", "counter", "Final responses by class of status; 1xx is a switch of protocols."),
    FAILURES("remora_failures_total", "counter", "Exchanges that failed in the proxy, by label of the failure."),
    PROXY_TIME("remora_proxy_time_seconds", "histogram", "Time exchanges spent in the proxy, waiting for no peer."),
    BACKEND_TIME("remora_backend_time_seconds", "histogram", "Time exchanges waited for the backend."),
    TOTAL_TIME("remora_total_time_seconds", "histogram", "Time from a request's first byte to its response's last."),
    LOOP_LAG("remora_event_loop_lag_seconds", "histogram", "How late event loops ran their timers."),
    BACKEND_CONNECTS("remora_backend_connects_total", "counter", "Connections to endpoints that were tried."),
    BACKEND_CONNECT_FAILURES("remora_backend_connect_failures_total", "counter", "Connections that failed to open."),
    BACKEND_OPENED("remora_backend_connections_opened_total", "counter", "Connections to endpoints that opened."),
    BACKEND_CLOSED("remora_backend_connections_closed_total", "counter", "Connections to endpoints that closed."),
    BACKEND_REUSED("remora_backend_connections_reused_total", "counter", "Leases of connections used before."),
    BACKEND_IDLE("remora_backend_connections_idle", "gauge", "Open connections to endpoints that wait in the pool."),
    BACKEND_ACTIVE("remora_backend_connections_active", "gauge", "Open connections to endpoints that are leased."),
    BACKEND_EXCHANGES("remora_backend_exchanges_in_flight", "gauge", "Exchanges an endpoint serves now."),
    POOL_EXHAUSTED("remora_backend_pool_exhausted_total", "counter", "Leases refused at the pool's limit."),
    ACCESS_LOG_DROPPED("remora_access_log_dropped_total", "counter", "Entries the access log could not take or write."),
    READY("remora_ready", "gauge", "1 while every listener is bound and no drain has begun, else 0."),
    BUILD("remora_build_info", "gauge", "Always 1; the labels name the sidecar's and the JVM's version."),
    HEAP_USED("remora_jvm_heap_used_bytes", "gauge", "Heap in use, garbage included."),
    HEAP_COMMITTED("remora_jvm_heap_committed_bytes", "gauge", "Heap backed by memory."),
    HEAP_MAX("remora_jvm_heap_max_bytes", "gauge", "Heap that may be used at most."),
    GC_COLLECTIONS("remora_jvm_gc_collections_total", "counter", "Collections by collector."),
    GC_PAUSE("remora_jvm_gc_pause_seconds_total", "counter", "Time collections took, by collector."),
    METASPACE_USED("remora_jvm_metaspace_used_bytes", "gauge", "Metaspace in use, class space included."),
    METASPACE_COMMITTED("remora_jvm_metaspace_committed_bytes", "gauge", "Metaspace backed by memory."),
    CODE_CACHE_USED("remora_jvm_code_cache_used_bytes", "gauge", "Compiled code, by segment of the code cache."),
    CODE_CACHE_COMMITTED("remora_jvm_code_cache_committed_bytes", "gauge", "Code cache backed by memory, by segment."),
    CODE_CACHE_RESERVED("remora_jvm_code_cache_reserved_bytes", "gauge", "Code cache that may be used, by segment."),
    COMPILE_TIME("remora_jvm_compile_seconds_total", "counter", "Time the JIT compilers worked."),
    COMPILATIONS("remora_jvm_compilations_total", "counter", "Methods compiled; absent with -XX:-UsePerfData."),
    CLASSES("remora_jvm_classes_loaded", "gauge", "Classes loaded now."),
    THREADS("remora_jvm_threads", "gauge", "Java threads that are alive."),
    DIRECT_USED("remora_jvm_direct_memory_used_bytes", "gauge", "Direct memory that Netty's buffers use."),
    DIRECT_MAX("remora_jvm_direct_memory_max_bytes", "gauge", "Direct memory that Netty's buffers may use at most."),
    CPU("remora_process_cpu_seconds_total", "counter", "CPU time, user and system."),
    START_TIME("remora_process_start_time_seconds", "gauge", "When the process started, since the epoch."),
    RSS("remora_process_resident_memory_bytes", "gauge", "Memory in RAM."),
    RSS_ANON("remora_process_resident_anonymous_bytes", "gauge", "Memory in RAM that no file backs."),
    RSS_FILE("remora_process_resident_file_bytes", "gauge", "Memory in RAM that files back, and shared memory."),
    RSS_PEAK("remora_process_resident_memory_peak_bytes", "gauge", "The most memory that ever was in RAM."),
    OPEN_FDS("remora_process_open_fds", "gauge", "File descriptors that are open."),
    MAX_FDS("remora_process_max_fds", "gauge", "File descriptors that may be open at once."),
    OS_THREADS("remora_process_threads", "gauge", "Threads, those of the JVM itself included.");

    final String metric;
    final String type;
    final String help;

    Metric(String metric, String type, String help) {
        this.metric = metric;
        this.type = type;
        this.help = help;
    }
}
