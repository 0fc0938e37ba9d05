package io.remora.metrics;

import static io.remora.metrics.Family.counter;
import static io.remora.metrics.Family.gauge;

/**
 * The metrics of the process and its JVM, one line per family. A scrape reads them; the sidecar counts none of them.
 *
 * <p>Order: as they are exposed. Cost: loaded by the first scrape.
 */
enum ProcessMetric implements Metric {
    ACCESS_LOG_DROPPED(
            counter("remora_access_log_dropped_total", "Access log entries that were not queued or written.")),
    ACCESS_LOG_SKIPPED(counter("remora_access_log_skipped_total", "Successful exchanges omitted by sampling.")),
    LOG_DROPPED(counter("remora_log_dropped_total", "Diagnostic log lines that standard error did not accept.")),
    READY(gauge("remora_ready", "1 while every listener is bound and no drain has begun, else 0.")),
    CONFIG_GENERATION(
            gauge("remora_config_generation", "Generation of the running configuration; 1 is that of the start.")),
    CONFIG_RELOADS(counter("remora_config_reloads_total", "Configuration reloads, by result.")
            .labels("result")),
    CONFIG_SINCE(gauge(
            "remora_config_last_success_timestamp_seconds",
            "Time at which the running configuration was loaded, in seconds since 1970.")),
    BUILD(gauge("remora_build_info", "Always 1; the labels name the sidecar's and the JVM's version.")
            .labels("version", "java")),
    MEMORY_LIMIT(gauge("remora_memory_limit_bytes", "Memory limit of the process; absent without a limit.")),
    MEMORY_LIMIT_TOO_LOW(gauge(
            "remora_memory_limit_too_low",
            "1 while a memory limit changed at runtime is too low for the configuration, else 0.")),
    MEMORY_USAGE(gauge(
            "remora_memory_usage_bytes",
            "Memory charged to the limit, without inactive file pages, at the last check.")),
    MEMORY_POOL(gauge("remora_memory_pool_bytes", "Memory for buffers and sockets, from which grants are reserved.")),
    MEMORY_CONNECTIONS(
            gauge("remora_memory_connections_max", "Maximum number of client connections that fit into memory.")),
    MEMORY_EXCHANGES(gauge("remora_memory_exchanges_max", "Maximum number of exchanges that fit into memory.")),
    MEMORY_HANDSHAKES(gauge(
            "remora_memory_handshakes_max", "Maximum number of handshakes that fit into memory; absent without TLS.")),
    MEMORY_OPENSSL(
            gauge("remora_memory_openssl_bytes", "Memory that OpenSSL or AWS-LC has allocated; absent without both.")),
    MEMORY_PRESSURE(gauge(
            "remora_memory_pressure",
            "Pressure stage: 0 none, 1 buffers shrink, 2 reads pause, 3 exchanges are refused, 4 cut, 5"
                    + " accepting stops.")),
    MEMORY_CHANGES(counter("remora_memory_pressure_changes_total", "Changes of the pressure stage.")),
    HEAP_USED(gauge("remora_jvm_heap_used_bytes", "Heap in use, including garbage.")),
    HEAP_COMMITTED(gauge("remora_jvm_heap_committed_bytes", "Heap backed by memory.")),
    HEAP_MAX(gauge("remora_jvm_heap_max_bytes", "Upper bound of the heap.")),
    GC_COLLECTIONS(counter("remora_jvm_gc_collections_total", "Garbage collections, by collector.")
            .labels("collector")),
    GC_PAUSE(counter("remora_jvm_gc_pause_seconds_total", "Time spent in garbage collections, by collector.")
            .labels("collector")),
    METASPACE_USED(gauge("remora_jvm_metaspace_used_bytes", "Metaspace in use, including class space.")),
    METASPACE_COMMITTED(gauge("remora_jvm_metaspace_committed_bytes", "Metaspace backed by memory.")),
    CODE_CACHE_USED(gauge("remora_jvm_code_cache_used_bytes", "Code cache in use, by segment.")
            .labels("segment")),
    CODE_CACHE_COMMITTED(gauge("remora_jvm_code_cache_committed_bytes", "Code cache backed by memory, by segment.")
            .labels("segment")),
    CODE_CACHE_RESERVED(gauge("remora_jvm_code_cache_reserved_bytes", "Reserved code cache, by segment.")
            .labels("segment")),
    COMPILE_TIME(counter("remora_jvm_compile_seconds_total", "Time spent in JIT compilation.")),
    COMPILER_CPU(counter("remora_jvm_compiler_cpu_seconds_total", "CPU time of the JIT compiler threads, by compiler.")
            .labels("compiler")),
    COMPILER_ON(gauge("remora_jvm_compiler_enabled", "1 while the JIT compilers take methods, else 0.")),
    COMPILER_STOPS(counter(
            "remora_jvm_compiler_stops_total",
            "Times that the JVM switched its compilers off because the code cache was full.")),
    CODE_CACHE_FAILURES(counter(
            "remora_jvm_code_cache_full_total", "Times that a segment of the code cache had no room for code.")),
    COMPILED_METHODS(gauge("remora_jvm_compiled_methods", "Compiled methods in the code cache.")),
    COMPILATIONS(counter("remora_jvm_compilations_total", "Methods compiled; absent with -XX:-UsePerfData.")),
    CLASSES(gauge("remora_jvm_classes_loaded", "Loaded classes.")),
    THREADS(gauge("remora_jvm_threads", "Live Java threads.")),
    DIRECT_USED(gauge("remora_jvm_direct_memory_used_bytes", "Direct memory that Netty's buffers use.")),
    DIRECT_MAX(gauge("remora_jvm_direct_memory_max_bytes", "Upper bound of the direct memory of Netty's buffers.")),
    CPU(counter("remora_process_cpu_seconds_total", "CPU time, user and system.")),
    START_TIME(gauge("remora_process_start_time_seconds", "Start time of the process, in seconds since 1970.")),
    RSS(gauge("remora_process_resident_memory_bytes", "Resident memory.")),
    RSS_ANON(gauge("remora_process_resident_anonymous_bytes", "Resident anonymous memory.")),
    RSS_FILE(gauge("remora_process_resident_file_bytes", "Resident file-backed and shared memory.")),
    RSS_PEAK(gauge("remora_process_resident_memory_peak_bytes", "Peak resident memory.")),
    OPEN_FDS(gauge("remora_process_open_fds", "Open file descriptors.")),
    MAX_FDS(gauge("remora_process_max_fds", "Maximum number of open file descriptors.")),
    OS_THREADS(gauge("remora_process_threads", "Threads, including JVM threads."));

    @SuppressWarnings("ImmutableEnumChecker") // its arrays are never written to
    private final Family family;

    ProcessMetric(Family family) {
        this.family = family;
    }

    @Override
    public Family family() {
        return family;
    }
}
