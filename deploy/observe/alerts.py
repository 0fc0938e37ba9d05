"""The alerting rules, in the order of the rule file. Thresholds stand here, each with its reason."""
from typing import NamedTuple

# A sidecar is a pod; without Kubernetes both labels are absent, and instance is left.
POD = "namespace, pod, instance"

WARNING, CRITICAL = "warning", "critical"


class Alert(NamedTuple):
    """An alert: for how long the expression has to hold, and what the reader learns and does."""

    name: str
    expression: str
    hold: str
    severity: str
    summary: str
    action: str
    anchor: str


class Group(NamedTuple):
    name: str
    alerts: tuple[Alert, ...]


def quantile(share: float, metric: str, by: str, window: str = "5m") -> str:
    return f"histogram_quantile({share}, sum by ({POD}, {by}, le) (rate({metric}_bucket[{window}])))"


# The share of a segment's reserved size that is in use.
CODE_CACHE = "(remora_jvm_code_cache_used_bytes / remora_jvm_code_cache_reserved_bytes)"
# Seconds of compilation a second: the share of a core.
COMPILING = "sum by ({pod}) (rate(remora_jvm_compile_seconds_total[{window}]))"
# CPU time of the compilers and of the whole process, in cores.
COMPILER_CPU = f"sum by ({POD}) (rate(remora_jvm_compiler_cpu_seconds_total[10m]))"
CPU = f"sum by ({POD}) (rate(remora_process_cpu_seconds_total[10m]))"
AGE = f"max by ({POD}) (time() - remora_process_start_time_seconds)"
# Also with -Xint.
COMPILER_OFF = "remora_jvm_compiler_enabled == 0"
REQUESTS = f"sum by ({POD}) (rate(remora_exchanges_finished_total[5m]))"


def compiling(window: str) -> str:
    return COMPILING.format(pod=POD, window=window)


TRAFFIC = Group("remora-traffic", (
    # ten times the bar of the conformance test at p99; a percentile of fewer requests is one request
    Alert("RemoraProxyLatencyHigh",
          f"{quantile(0.99, 'remora_proxy_time_seconds', 'listener')} > 0.01\n"
          f"and sum by ({POD}, listener) (rate(remora_proxy_time_seconds_count[5m])) > 1",
          "10m", WARNING, "p99 of the time in the proxy is {{ $value | humanizeDuration }} on listener {{ $labels.listener }}.",
          "Check whether the sidecar is short of CPU, compiles late, or collects garbage for long.", "latency"),
    Alert("RemoraClusterFailing",
          f'sum by ({POD}, cluster) (rate(remora_endpoint_outcomes_total{{outcome="failure"}}[5m]))\n'
          f'/ sum by ({POD}, cluster) (rate(remora_endpoint_outcomes_total{{outcome=~"success|failure"}}[5m])) > 0.05\n'
          f'and sum by ({POD}, cluster) (rate(remora_endpoint_outcomes_total{{outcome=~"success|failure"}}[5m])) > 1',
          "5m", CRITICAL, "{{ $value | humanizePercentage }} of the attempts at cluster {{ $labels.cluster }} fail.",
          "Check the endpoints of the cluster on the page /clusters of the admin listener.", "success"),
    Alert("RemoraProxyFailures",
          f"sum by ({POD}, listener) (rate(remora_failures_total[5m]))\n"
          f"/ sum by ({POD}, listener) (rate(remora_exchanges_finished_total[5m])) > 0.05\n"
          f"and sum by ({POD}, listener) (rate(remora_exchanges_finished_total[5m])) > 1",
          "5m", WARNING, "{{ $value | humanizePercentage }} of the requests to listener {{ $labels.listener }} fail in the proxy.",
          "The label failure of remora_failures_total has the reason.", "success"),
    Alert("RemoraNotReady", "remora_ready == 0", "10m", WARNING, "The sidecar has not been ready for 10 minutes.",
          "Check its log: a listener cannot be bound, or a drain does not end.", "success"),
    Alert("RemoraEventLoopStalled", "increase(remora_event_loop_stalls_total[10m]) > 0", "0m", CRITICAL,
          "Event loop {{ $labels.loop }} stalled.", "The log has the stack of the loop at that time. Report it as a bug.", "latency"),
))

ENDPOINTS = Group("remora-endpoints", (
    Alert("RemoraEndpointsEjected", "remora_cluster_ejected > 0", "10m", WARNING,
          "{{ $value }} endpoints of cluster {{ $labels.cluster }} have been ejected for 10 minutes.",
          "The page /clusters of the admin listener has the reason for each endpoint.", "endpoints"),
    Alert("RemoraClusterPanic", "remora_cluster_panic == 1", "1m", CRITICAL,
          "Too few endpoints of cluster {{ $labels.cluster }} are healthy, so that it uses all of them.",
          "Check the application behind the cluster; the sidecar has stopped protecting its clients from failing endpoints.", "endpoints"),
    Alert("RemoraResolverFailed", 'remora_resolver_state{state="failed"} == 1', "5m", WARNING,
          "Source {{ $labels.source }} of cluster {{ $labels.cluster }} has failed for 5 minutes.",
          "The cluster keeps its last endpoints. Check the source, and the rights of the sidecar there.", "endpoints"),
))

MEMORY = Group("remora-memory", (
    # by the same figure as a kubelet: without inactive file pages
    Alert("RemoraMemoryNearLimit", "remora_memory_usage_bytes / remora_memory_limit_bytes > 0.9", "10m", WARNING,
          "The sidecar uses {{ $value | humanizePercentage }} of its memory limit.",
          "Raise the limit, or use the JVM profile for a higher rate.", "memory"),
    # from this stage on exchanges are refused
    Alert("RemoraMemoryPressure", "remora_memory_pressure >= 3", "1m", CRITICAL, "The sidecar refuses requests for lack of memory.",
          "Raise the memory limit, or find out which client sends more than before.", "memory"),
    Alert("RemoraDescriptorsNearLimit", "remora_process_open_fds / remora_process_max_fds > 0.8", "10m", WARNING,
          "{{ $value | humanizePercentage }} of the file descriptors are in use.", "Raise the limit, or lower limits.connections.", "memory"),
))

JIT = Group("remora-jit", (
    # the bar of the conformance test; from here on the JVM begins to discard code
    Alert("RemoraCodeCacheNearlyFull", f"max by ({POD}, segment) {CODE_CACHE} > 0.8", "10m", WARNING,
          "{{ $value | humanizePercentage }} of the code cache is in use.", "Raise -XX:ReservedCodeCacheSize.", "code-cache"),
    # a full cache shows as CPU time of the compiler under a steady load, while collections and heap look normal
    Alert("RemoraCodeCacheThrashing",
          f"{compiling('15m')} > 0.05\nand on ({POD}) max by ({POD}) {CODE_CACHE} > 0.7\nand on ({POD}) {AGE} > 1800",
          "10m", CRITICAL, "The JVM discards compiled code and compiles it again, for {{ $value | humanizePercentage }} of a core.",
          "Raise -XX:ReservedCodeCacheSize. The log of the JVM has no line about it.", "code-cache"),
    # where the JVM does not report it itself, as by the next one
    Alert("RemoraCompilerStopped",
          f"sum by ({POD}) (increase(remora_jvm_compile_seconds_total[30m])) == 0\n"
          f"and on ({POD}) max by ({POD}) {CODE_CACHE} > 0.9\nand on ({POD}) {REQUESTS} > 10\nunless on ({POD}) {COMPILER_OFF}",
          "0m", CRITICAL, "The code cache is full, and the JVM has stopped compiling.",
          "Raise -XX:ReservedCodeCacheSize and restart the sidecar.", "code-cache"),
    # the JVM reports it in the images; with -Xint it has no compilers, and hardly any code
    Alert("RemoraCompilerDisabled", f"{COMPILER_OFF}\nand on ({POD}) max by ({POD}) {CODE_CACHE} > 0.7", "5m", CRITICAL,
          "The JVM has switched its compilers off.",
          "Raise -XX:ReservedCodeCacheSize and restart the sidecar.", "code-cache"),
    # a path that was rarely used becomes hot, and is compiled while requests wait; a young sidecar warms up
    Alert("RemoraCompileStorm", f"{compiling('2m')} > 0.25\nand on ({POD}) {AGE} > 600", "1m", WARNING,
          "The JVM compiles for {{ $value | humanizePercentage }} of a core, long after its start.",
          "Compare with the latency: new traffic, a reload or a failover makes new code hot. It passes; warm-up avoids it after a start.", "compile-storms"),
    # a sidecar that has warmed up compiles next to nothing; an idle one is not worth a look
    Alert("RemoraCompilerCpuHigh",
          f"{COMPILER_CPU}\n/ {CPU} > 0.25\nand on ({POD}) {CPU} > 0.05\nand on ({POD}) {AGE} > 1800",
          "15m", WARNING, "The compilers take {{ $value | humanizePercentage }} of the CPU time of the sidecar.",
          "Compare the used code cache with its reserved size. If there is room, the compilation log names the methods.", "compile-storms"),
))

CERTIFICATES = Group("remora-certificates", (
    # A certificate that lives for a day or less always expires within three. It is renewed within 18 hours, which ends the alert before it fires.
    Alert("RemoraCertificateNotRenewed",
          "remora_tls_certificate_expires_seconds - time() < 259200\nand remora_tls_certificate_expires_seconds > 0",
          "18h", WARNING, "The certificate of {{ $labels.side }} {{ $labels.name }} expires in {{ $value | humanizeDuration }}.",
          "Check what renews it, and whether the mounted Secret has changed.", "certificates"),
    Alert("RemoraCertificateExpires",
          "remora_tls_certificate_expires_seconds - time() < 600\nand remora_tls_certificate_expires_seconds > 0",
          "1m", CRITICAL, "The certificate of {{ $labels.side }} {{ $labels.name }} expires in {{ $value | humanizeDuration }}.",
          "Renew it now: handshakes fail once it has expired.", "certificates"),
    Alert("RemoraCertificateRefused", 'increase(remora_tls_reloads_total{outcome="refused"}[15m]) > 0', "0m", WARNING,
          "The changed files of {{ $labels.side }} {{ $labels.name }} were refused.", "The log has the reason. The previous certificate stays in use.",
          "certificates"),
))

REPORTING = Group("remora-reporting", (
    Alert("RemoraLogDropped", "increase(remora_access_log_dropped_total[10m]) > 0 or increase(remora_log_dropped_total[10m]) > 0", "0m", WARNING,
          "{{ $value | humanize }} lines of the log were dropped in 10 minutes.", "The reader of the log is too slow. Sample the access log.", "drops"),
    Alert("RemoraTracesDropped",
          f'sum by ({POD}) (rate(remora_trace_spans_total{{result=~"dropped|failed"}}[10m]))\n'
          f"/ sum by ({POD}) (rate(remora_trace_spans_total[10m])) > 0.01",
          "10m", WARNING, "{{ $value | humanizePercentage }} of the spans do not reach the collector.",
          "Check the collector, or lower the share of requests that are sampled.", "drops"),
    Alert("RemoraReloadRefused", 'increase(remora_config_reloads_total{result="refused"}[15m]) > 0', "0m", WARNING,
          "A changed configuration was refused.", "The log has every problem. The previous configuration stays in use.", "drops"),
))

GROUPS = (TRAFFIC, ENDPOINTS, MEMORY, JIT, CERTIFICATES, REPORTING)

REJECTED = 'remora_injector_admissions_total{result="%s"}'
EXPIRY = "remora_injector_certificate_expires_seconds"

INJECTOR = Group("remora-injector", (
    # a pod is rejected only for a wrong annotation or a wrong spec, and its controller tries again and again
    Alert("RemoraInjectorRejectsPods", f"sum by ({POD}) (increase({REJECTED % 'refused'}[10m])) > 0", "0m", WARNING,
          "The injector rejected {{ $value | humanize }} pods in 10 minutes.",
          "The events of the ReplicaSet, or of another controller, contain the reason and the annotation.", "injector"),
    Alert("RemoraInjectorFails", f"sum by ({POD}) (increase({REJECTED % 'failed'}[10m])) > 0", "0m", CRITICAL,
          "The injector failed {{ $value | humanize }} times in 10 minutes, and the pods were not created.",
          "The log of the injector contains the exception. Report it as a bug.", "injector"),
    Alert("RemoraInjectorInvalidReviews", f"sum by ({POD}) (increase({REJECTED % 'invalid'}[10m])) > 0", "0m", WARNING,
          "The injector received {{ $value | humanize }} requests in 10 minutes that are not reviews, or are too large.",
          "API servers do not send such requests. Check which client reaches the port, and limit it with a NetworkPolicy.", "injector"),
    # a replica tries again after 3 s, and the restart of an API server is over after minutes
    Alert("RemoraInjectorUpkeepFails", f"sum by ({POD}) (increase(remora_injector_upkeep_failures_total[5m])) > 0", "15m", WARNING,
          "The injector has failed to keep its certificates and its registration current for 15 minutes.",
          "The log of the injector names the problem, for example a missing right.", "injector"),
    # of 30 days, and renewed with 10 of them left
    Alert("RemoraInjectorCertificateNotRenewed", f"{EXPIRY} - time() < 604800\nand {EXPIRY} > 0", "1h", WARNING,
          "The certificate of the injector expires in {{ $value | humanizeDuration }}, and has not been renewed.",
          "The log of the injector contains the reason. With certificates from another issuer, check the issuer.", "injector"),
    Alert("RemoraInjectorCertificateExpires", f"{EXPIRY} - time() < 21600\nand {EXPIRY} > 0", "1m", CRITICAL,
          "The certificate of the injector expires in {{ $value | humanizeDuration }}.",
          "Renew it now. After its expiry, API servers reject new pods in the namespaces with injection.", "injector"),
    Alert("RemoraInjectorAbsent", f"absent({EXPIRY})", "5m", CRITICAL, "Prometheus has not found a replica of the injector for 5 minutes.",
          "Without a replica, API servers reject new pods in the namespaces with injection. Check the Deployment, and whether Prometheus scrapes it.", "injector"),
))

# Apart from the others: without an injector, its absence is no problem.
INJECTOR_GROUPS = (INJECTOR,)
