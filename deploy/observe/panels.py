"""The panels of the dashboard, row by row. An expression applies to the chosen namespace and pods."""
from typing import NamedTuple

# The sidecars that the reader has chosen.
CHOSEN = 'namespace=~"$namespace", pod=~"$pod"'
RATE = "[$__rate_interval]"


class Line(NamedTuple):
    """A curve, or one for each value of the labels in its legend."""

    expression: str
    legend: str


class Panel(NamedTuple):
    """unit is one of Grafana's; most is the end of the axis, where a figure has one; bar is drawn as a threshold."""

    title: str
    description: str
    unit: str
    lines: tuple[Line, ...]
    most: float | None = None
    bar: float | None = None


class Row(NamedTuple):
    title: str
    panels: tuple[Panel, ...]


def rate(name: str, by: str, more: str = "") -> str:
    return f"sum by ({by}) (rate({name}{{{CHOSEN}{more}}}{RATE}))"


def level(name: str, by: str, how: str = "max") -> str:
    return f"{how} by ({by}) ({name}{{{CHOSEN}}})"


def percentiles(name: str) -> tuple[Line, ...]:
    return tuple(Line(f"histogram_quantile({share}, {rate(name + '_bucket', 'listener, le')})", f"{{{{listener}}}} {title}")
                 for share, title in ((0.5, "p50"), (0.99, "p99"), (0.999, "p999")))


def share(part: str, whole: str) -> str:
    return f"{part} / {whole}"


OUTCOMES = ', outcome=~"success|failure"'
TRAFFIC = Row("Traffic", (
    Panel("Requests", "Requests that ended, by listener.", "reqps",
          (Line(rate("remora_exchanges_finished_total", "listener"), "{{listener}}"),)),
    Panel("Responses by class", "Final responses by status class; 1xx is a protocol switch.", "reqps",
          (Line(rate("remora_responses_total", "class"), "{{class}}"),)),
    Panel("In flight", "Requests in flight, by listener.", "short", (Line(level("remora_exchanges_in_flight", "listener", "sum"), "{{listener}}"),)),
    Panel("Success by cluster", "Share of the attempts at endpoints that succeeded.", "percentunit",
          (Line(share(rate("remora_endpoint_outcomes_total", "cluster", ', outcome="success"'),
                      rate("remora_endpoint_outcomes_total", "cluster", OUTCOMES)), "{{cluster}}"),), most=1),
    Panel("Failures in the proxy", "Requests that failed in the proxy, by failure label.", "reqps",
          (Line(rate("remora_failures_total", "failure"), "{{failure}}"),)),
    Panel("Connection failures", "Connections to endpoints that failed before use, by cause.", "reqps",
          (Line(rate("remora_backend_connect_failure_causes_total", "cause"), "{{cause}}"),)),
))

LATENCY = Row("Latency", (
    Panel("Time in the proxy", "Time that requests spent in the sidecar, without waits for a peer.", "s", percentiles("remora_proxy_time_seconds"), bar=0.001),
    Panel("Total time", "From a request's first byte to its response's last.", "s", percentiles("remora_total_time_seconds")),
    Panel("Time of the backend", "Time that requests waited for the backend.", "s", percentiles("remora_backend_time_seconds")),
    Panel("Event loop lag", "How late event loops ran their timers: a sidecar that is short of CPU shows here.", "s",
          (Line(f"histogram_quantile(0.99, {rate('remora_event_loop_lag_seconds_bucket', 'pod, le')})", "{{pod}} p99"),)),
))

MEMORY = Row("Memory and CPU", (
    Panel("Memory against limit", "Memory charged to the container, without inactive file pages, as the kubelet counts it, and the limit.", "bytes",
          (Line(level("remora_memory_usage_bytes", "pod"), "{{pod}}"), Line(level("remora_memory_limit_bytes", "pod"), "{{pod}} limit"))),
    Panel("Resident memory", "Memory in RAM, of which files can be shared with other sidecars.", "bytes",
          (Line(level("remora_process_resident_anonymous_bytes", "pod"), "{{pod}} anonymous"),
           Line(level("remora_process_resident_file_bytes", "pod"), "{{pod}} files"))),
    Panel("Memory pressure", "0 for none; 1 buffers shrink, 2 reads pause, 3 requests are refused, 4 cut, 5 accepting stops.", "short",
          (Line(level("remora_memory_pressure", "pod"), "{{pod}}"),), most=5),
    Panel("Heap", "Heap in use, garbage included, and its upper bound.", "bytes",
          (Line(level("remora_jvm_heap_used_bytes", "pod"), "{{pod}}"), Line(level("remora_jvm_heap_max_bytes", "pod"), "{{pod}} max"))),
    Panel("CPU", "CPU time, in cores.", "short", (Line(rate("remora_process_cpu_seconds_total", "pod"), "{{pod}}"),)),
    Panel("Garbage collection", "Share of the time spent in collections.", "percentunit",
          (Line(rate("remora_jvm_gc_pause_seconds_total", "pod"), "{{pod}}"),)),
))

JIT = Row("JIT compiler", (
    Panel("Code cache", "Used share of each segment. Near its end the JVM discards compiled code and compiles it again, which takes CPU time and shows in no log.",
          "percentunit",
          (Line(share(level("remora_jvm_code_cache_used_bytes", "pod, segment"), level("remora_jvm_code_cache_reserved_bytes", "pod, segment")),
                "{{pod}} {{segment}}"),), most=1, bar=0.8),
    Panel("Compilation", "Time that is spent in compilation, as a share of a core. A burst long after the start is a storm: a path that was rarely used has become hot.",
          "percentunit", (Line(rate("remora_jvm_compile_seconds_total", "pod"), "{{pod}}"),), bar=0.25),
    Panel("JIT compiler threads", "CPU time of the threads of each compiler, in cores. Compare it with the CPU time of the process.", "short",
          (Line(rate("remora_jvm_compiler_cpu_seconds_total", "pod, compiler"), "{{pod}} {{compiler}}"),)),
    Panel("Compiler on", "1 while the compilers take methods. 0 means that the code cache is full.", "short",
          (Line(level("remora_jvm_compiler_enabled", "pod", "min"), "{{pod}}"),), most=1),
    Panel("Compiled code", "Compiled code in bytes. A curve that rises and falls under a steady load is a cache that is too small.", "bytes",
          (Line(level("remora_jvm_code_cache_used_bytes", "pod", "sum"), "{{pod}}"),)),
))

ENDPOINTS = Row("Endpoints", (
    Panel("Ejected endpoints", "Endpoints that are out of use because they failed.", "short",
          (Line(level("remora_cluster_ejected", "pod, cluster"), "{{pod}} {{cluster}}"),)),
    Panel("Ejections", "Ejections of endpoints, by reason.", "reqps",
          (Line(rate("remora_cluster_ejections_total", "cluster, reason"), "{{cluster}} {{reason}}"),)),
    Panel("Retries", "Retries by policy, by reason.", "reqps",
          (Line(rate("remora_cluster_retries_total", "cluster, reason"), "{{cluster}} {{reason}}"),)),
))

CERTIFICATES = Row("Certificates", (
    Panel("Time to expiry", "Time until the earliest certificate of each listener and cluster expires.", "s",
          (Line(f"min by (pod, side, name) (remora_tls_certificate_expires_seconds{{{CHOSEN}}} > 0) - time()", "{{pod}} {{side}} {{name}}"),)),
    Panel("Handshake failures", "Handshakes that failed, by reason.", "reqps",
          (Line(rate("remora_tls_handshake_failures_total", "side, reason"), "{{side}} {{reason}}"),)),
    Panel("Certificate reloads", "Reloads of changed files, by outcome.", "reqps",
          (Line(rate("remora_tls_reloads_total", "side, name, outcome"), "{{side}} {{name}} {{outcome}}"),)),
))

REPORTING = Row("Logs, traces and configuration", (
    Panel("Dropped log lines", "Lines of the access log and of the sidecar's own log that were dropped.", "reqps",
          (Line(rate("remora_access_log_dropped_total", "pod"), "{{pod}} access log"), Line(rate("remora_log_dropped_total", "pod"), "{{pod}} log"))),
    Panel("Spans", "Recorded spans, by result.", "reqps", (Line(rate("remora_trace_spans_total", "result"), "{{result}}"),)),
    Panel("Configuration reloads", "Reloads of the configuration, by result.", "reqps",
          (Line(rate("remora_config_reloads_total", "pod, result"), "{{pod}} {{result}}"),)),
))

ROWS = (TRAFFIC, LATENCY, MEMORY, JIT, ENDPOINTS, CERTIFICATES, REPORTING)
