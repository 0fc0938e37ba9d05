"""Series with which each alert fires, and such with which it does not, for promtool."""
from collections.abc import Mapping
from typing import NamedTuple

POD = {"namespace": "shop", "pod": "cart-1", "instance": "10.0.0.1:15020"}


class Case(NamedTuple):
    """series are PromQL's expanding notation by series, a sample a minute; the labels of POD are added. summary is None where nothing may
    fire, and an empty label is one that the alert does not have."""

    alert: str
    series: Mapping[str, str]
    minutes: int
    labels: Mapping[str, str] = {}
    summary: str | None = None


def counter(each_minute: float, minutes: int = 120) -> str:
    return f"0+{each_minute}x{minutes}"


def constant(value: float, minutes: int = 120) -> str:
    return f"{value}x{minutes}"


def histogram(name: str, labels: str, fast: float, slow: float) -> dict[str, str]:
    """So many requests a minute within 1 ms, and so many within 50 ms."""
    both = counter(fast + slow)
    return {f'{name}_bucket{{{labels}, le="0.001"}}': counter(fast), f'{name}_bucket{{{labels}, le="0.05"}}': both,
            f'{name}_bucket{{{labels}, le="+Inf"}}': both, f"{name}_count{{{labels}}}": both}


def outcomes(good: float, bad: float) -> dict[str, str]:
    return {f'remora_endpoint_outcomes_total{{cluster="app", endpoint="10.0.1.{number}:80", outcome="{outcome}"}}': counter(each / 2)
            for outcome, each in (("success", good), ("failure", bad), ("ignored", 600)) for number in (1, 2)}


def cache(used: float, compiling: float, started: float = 0, requests: float = 60_000) -> dict[str, str]:
    """The used share of a cache of 8 MB, seconds of compilation a minute, the start in seconds, and requests a minute."""
    return {'remora_jvm_code_cache_used_bytes{segment="all"}': constant(used * 8e6), 'remora_jvm_code_cache_reserved_bytes{segment="all"}': constant(8e6),
            "remora_jvm_compile_seconds_total": counter(compiling), "remora_process_start_time_seconds": constant(started),
            'remora_exchanges_finished_total{listener="inbound"}': counter(requests)}


def compilers(c1: float, c2: float, process: float, started: float = 0) -> dict[str, str]:
    """CPU seconds a minute of both compilers and of the process, and the start in seconds."""
    return {'remora_jvm_compiler_cpu_seconds_total{compiler="c1"}': counter(c1), 'remora_jvm_compiler_cpu_seconds_total{compiler="c2"}': counter(c2),
            "remora_process_cpu_seconds_total": counter(process), "remora_process_start_time_seconds": constant(started)}


def reviews(result: str) -> dict[str, str]:
    """One review a minute with this result."""
    return {REVIEWS % result: counter(1)}


REVIEWS = 'remora_injector_admissions_total{result="%s"}'
INJECTOR_EXPIRES = "remora_injector_certificate_expires_seconds"
COMPILER = "remora_jvm_compiler_enabled"
LISTENER = 'listener="inbound"'
INBOUND = {"listener": "inbound"}
EXPIRES = 'remora_tls_certificate_expires_seconds{side="listener", name="inbound"}'
SIDE = {"side": "listener", "name": "inbound"}
LONG = 1500

CASES = (
    Case("RemoraProxyLatencyHigh", histogram("remora_proxy_time_seconds", LISTENER, 500, 100), 30, INBOUND,
         "p99 of the time in the proxy is 47.06ms on listener inbound."),
    Case("RemoraProxyLatencyHigh", histogram("remora_proxy_time_seconds", LISTENER, 6000, 6), 30),
    # a request every two minutes is no percentile
    Case("RemoraProxyLatencyHigh", histogram("remora_proxy_time_seconds", LISTENER, 0, 0.5), 30),
    Case("RemoraClusterFailing", outcomes(540, 60), 30, {"cluster": "app"}, "10% of the attempts at cluster app fail."),
    Case("RemoraClusterFailing", outcomes(588, 12), 30),
    Case("RemoraProxyFailures", {f'remora_failures_total{{{LISTENER}, failure="connect"}}': counter(30),
                                 f'remora_failures_total{{{LISTENER}, failure="timeout"}}': counter(30),
                                 f"remora_exchanges_finished_total{{{LISTENER}}}": counter(600)}, 30, INBOUND,
         "10% of the requests to listener inbound fail in the proxy."),
    Case("RemoraProxyFailures", {f'remora_failures_total{{{LISTENER}, failure="connect"}}': counter(12),
                                 f"remora_exchanges_finished_total{{{LISTENER}}}": counter(600)}, 30),
    Case("RemoraNotReady", {"remora_ready": "1x5 0x30"}, 20, {}, "The sidecar has not been ready for 10 minutes."),
    Case("RemoraNotReady", {"remora_ready": "1x5 0x5 1x30"}, 20),
    Case("RemoraEventLoopStalled", {'remora_event_loop_stalls_total{loop="0"}': "0x10 1x10"}, 15, {"loop": "0"}, "Event loop 0 stalled."),
    Case("RemoraEventLoopStalled", {'remora_event_loop_stalls_total{loop="0"}': "1x30"}, 15),
    Case("RemoraEndpointsEjected", {'remora_cluster_ejected{cluster="app"}': constant(2)}, 20, {"cluster": "app"},
         "2 endpoints of cluster app have been ejected for 10 minutes."),
    Case("RemoraEndpointsEjected", {'remora_cluster_ejected{cluster="app"}': "2x5 0x5 2x5 0x30"}, 20),
    Case("RemoraClusterPanic", {'remora_cluster_panic{cluster="app"}': constant(1)}, 5, {"cluster": "app"},
         "Too few endpoints of cluster app are healthy, so that it uses all of them."),
    Case("RemoraClusterPanic", {'remora_cluster_panic{cluster="app"}': constant(0)}, 5),
    Case("RemoraResolverFailed", {'remora_resolver_state{cluster="app", source="dns", state="failed"}': constant(1),
                                  'remora_resolver_state{cluster="app", source="dns", state="bound"}': constant(0)}, 10,
         {"cluster": "app", "source": "dns", "state": "failed"}, "Source dns of cluster app has failed for 5 minutes."),
    Case("RemoraResolverFailed", {'remora_resolver_state{cluster="app", source="dns", state="failed"}': constant(0),
                                  'remora_resolver_state{cluster="app", source="dns", state="empty"}': constant(1)}, 10),
    Case("RemoraMemoryNearLimit", {"remora_memory_usage_bytes": constant(38e6), "remora_memory_limit_bytes": constant(40e6)}, 20, {},
         "The sidecar uses 95% of its memory limit."),
    Case("RemoraMemoryNearLimit", {"remora_memory_usage_bytes": constant(34e6), "remora_memory_limit_bytes": constant(40e6)}, 20),
    Case("RemoraMemoryPressure", {"remora_memory_pressure": constant(3)}, 5, {}, "The sidecar refuses requests for lack of memory."),
    Case("RemoraMemoryPressure", {"remora_memory_pressure": constant(2)}, 5),
    Case("RemoraDescriptorsNearLimit", {"remora_process_open_fds": constant(900), "remora_process_max_fds": constant(1000)}, 20, {},
         "90% of the file descriptors are in use."),
    Case("RemoraDescriptorsNearLimit", {"remora_process_open_fds": constant(700), "remora_process_max_fds": constant(1000)}, 20),
    Case("RemoraCodeCacheNearlyFull", cache(0.85, 0), 20, {"segment": "all"}, "85% of the code cache is in use."),
    Case("RemoraCodeCacheNearlyFull", cache(0.75, 0), 20),
    Case("RemoraCodeCacheThrashing", cache(0.95, 12), 90, {}, "The JVM discards compiled code and compiles it again, for 20% of a core."),
    # much is compiled with room left, or in the first half hour, or little with a full cache
    Case("RemoraCodeCacheThrashing", cache(0.5, 12), 90),
    Case("RemoraCodeCacheThrashing", cache(0.95, 12), 25),
    Case("RemoraCodeCacheThrashing", cache(0.95, 1), 90),
    Case("RemoraCompilerStopped", cache(0.97, 0), 60, {}, "The code cache is full, and the JVM has stopped compiling."),
    # without traffic, or with room left, there is nothing to compile
    Case("RemoraCompilerStopped", cache(0.97, 0, requests=60), 60),
    Case("RemoraCompilerStopped", cache(0.6, 0), 60),
    # one condition is one alert
    Case("RemoraCompilerStopped", {**cache(0.97, 0), COMPILER: constant(1)}, 60, {}, "The code cache is full, and the JVM has stopped compiling."),
    Case("RemoraCompilerStopped", {**cache(0.97, 0), COMPILER: constant(0)}, 60),
    Case("RemoraCompilerDisabled", {**cache(0.97, 0), COMPILER: constant(0)}, 60, {}, "The JVM has switched its compilers off."),
    # the JVM frees code and goes on
    Case("RemoraCompilerDisabled", {**cache(0.97, 0), COMPILER: "1x5 0x2 1x30"}, 10),
    # -Xint
    Case("RemoraCompilerDisabled", {**cache(0.4, 0), COMPILER: constant(0)}, 60),
    Case("RemoraCompileStorm", cache(0.4, 30), 30, {}, "The JVM compiles for 50% of a core, long after its start."),
    Case("RemoraCompileStorm", cache(0.4, 30, started=1500), 30),
    Case("RemoraCompileStorm", cache(0.4, 6), 30),
    Case("RemoraCompilerCpuHigh", compilers(3, 6, 24), 90, {}, "The compilers take 37.5% of the CPU time of the sidecar."),
    # a smaller share, an idle sidecar, a young one
    Case("RemoraCompilerCpuHigh", compilers(1, 2, 24), 90),
    Case("RemoraCompilerCpuHigh", compilers(0.5, 0.5, 2), 90),
    Case("RemoraCompilerCpuHigh", compilers(3, 6, 24, started=3600), 90),
    Case("RemoraCertificateNotRenewed", {EXPIRES: constant(259_200, LONG)}, 1200, SIDE, "The certificate of listener inbound expires in 2d 4h 0m 0s."),
    # of a day, and renewed after twelve hours
    Case("RemoraCertificateNotRenewed", {EXPIRES: f"86400x719 {86_400 + 43_200 + 345_600}x{LONG}"}, 1200),
    # without a certificate of its own
    Case("RemoraCertificateNotRenewed", {EXPIRES: constant(0, LONG)}, 1200),
    Case("RemoraCertificateExpires", {EXPIRES: constant(4200)}, 65, SIDE, "The certificate of listener inbound expires in 5m 0s."),
    Case("RemoraCertificateExpires", {EXPIRES: constant(9000)}, 65),
    Case("RemoraCertificateExpires", {EXPIRES: constant(0)}, 65),
    Case("RemoraCertificateRefused", {'remora_tls_reloads_total{side="listener", name="inbound", outcome="refused"}': "0x10 1x10",
                                      'remora_tls_reloads_total{side="listener", name="inbound", outcome="taken"}': "0x20"}, 15,
         {**SIDE, "outcome": "refused"}, "The changed files of listener inbound were refused."),
    Case("RemoraCertificateRefused", {'remora_tls_reloads_total{side="listener", name="inbound", outcome="taken"}': "0x10 1x10"}, 15),
    Case("RemoraLogDropped", {"remora_access_log_dropped_total": counter(6)}, 20, {}, "60 lines of the log were dropped in 10 minutes."),
    Case("RemoraLogDropped", {"remora_log_dropped_total": counter(3)}, 20, {}, "30 lines of the log were dropped in 10 minutes."),
    Case("RemoraLogDropped", {"remora_access_log_dropped_total": constant(7), "remora_log_dropped_total": constant(7)}, 20),
    Case("RemoraTracesDropped", {'remora_trace_spans_total{result="exported"}': counter(980), 'remora_trace_spans_total{result="dropped"}': counter(10),
                                 'remora_trace_spans_total{result="failed"}': counter(10)}, 30, {}, "2% of the spans do not reach the collector."),
    Case("RemoraTracesDropped", {'remora_trace_spans_total{result="exported"}': counter(995), 'remora_trace_spans_total{result="dropped"}': counter(5)}, 30),
    Case("RemoraReloadRefused", {'remora_config_reloads_total{result="refused"}': "0x10 1x10"}, 15, {"result": "refused"},
         "A changed configuration was refused."),
    Case("RemoraReloadRefused", {'remora_config_reloads_total{result="taken"}': "0x10 1x10"}, 15),
    Case("RemoraInjectorRejectsPods", reviews("refused"), 20, {}, "The injector rejected 10 pods in 10 minutes."),
    Case("RemoraInjectorRejectsPods", reviews("injected"), 20),
    # an hour ago
    Case("RemoraInjectorRejectsPods", {REVIEWS % "refused": "0x5 1x100"}, 60),
    Case("RemoraInjectorFails", reviews("failed"), 20, {}, "The injector failed 10 times in 10 minutes, and the pods were not created."),
    Case("RemoraInjectorFails", reviews("refused"), 20),
    Case("RemoraInjectorInvalidReviews", reviews("invalid"), 20, {},
         "The injector received 10 requests in 10 minutes that are not reviews, or are too large."),
    Case("RemoraInjectorInvalidReviews", reviews("unchanged"), 20),
    Case("RemoraInjectorUpkeepFails", {"remora_injector_upkeep_failures_total": counter(20)}, 30, {},
         "The injector has failed to keep its certificates and its registration current for 15 minutes."),
    # an API server restarts
    Case("RemoraInjectorUpkeepFails", {"remora_injector_upkeep_failures_total": "0x5 20x1 40x100"}, 16),
    Case("RemoraInjectorCertificateNotRenewed", {INJECTOR_EXPIRES: constant(604_800)}, 90, {},
         "The certificate of the injector expires in 6d 22h 30m 0s, and has not been renewed."),
    Case("RemoraInjectorCertificateNotRenewed", {INJECTOR_EXPIRES: constant(864_000)}, 90),
    # before there is one
    Case("RemoraInjectorCertificateNotRenewed", {INJECTOR_EXPIRES: constant(0)}, 90),
    Case("RemoraInjectorCertificateExpires", {INJECTOR_EXPIRES: constant(21_600)}, 60, {}, "The certificate of the injector expires in 5h 0m 0s."),
    Case("RemoraInjectorCertificateExpires", {INJECTOR_EXPIRES: constant(86_400)}, 60),
    Case("RemoraInjectorCertificateExpires", {INJECTOR_EXPIRES: constant(0)}, 60),
    Case("RemoraInjectorAbsent", {"remora_ready": constant(1)}, 10, dict.fromkeys(POD, ""),
         "Prometheus has not found a replica of the injector for 5 minutes."),
    # one of two is left
    Case("RemoraInjectorAbsent", {INJECTOR_EXPIRES: "864000x5 _x100", f'{INJECTOR_EXPIRES}{{replica="2"}}': constant(864_000)}, 60),
)
