"""A result of a conformance test as report.json has it, made up, for tests of what is made of results."""
import math

FIGURES = ("p50_us", "p90_us", "p99_us", "p999_us", "max_us")


def latency(scale):
    """A tag's figures, from percentiles that rise as such do."""
    def at(nines):
        return scale * (1 + nines ** 2)

    curve = [[100 * (1 - 10 ** -(step / 5)), at(step / 5)] for step in range(21)] + [[100.0, at(4)]]
    return {"count": 59_000, **{key: at(nines) for key, nines in zip(FIGURES, (math.log10(2), 1, 2, 3, 4))}, "curve": curve}


def sample(second):
    return {"t_s": second, "working_set_mb": 15.5, "private_mb": 14.0, "rss_mb": 33.5, "anon_mb": 14.0, "file_mb": 19.5, "peak_mb": 34.0, "pss_mb": 33.0,
            "cpu_share": 0.12 + 0.01 * (second % 3), "cpu_s": 0.13 * second, "waited_s": 0.01 * second, "cores_busy_s": 0.15 * second,
            "throttled_s": 0.0, "backend_cpu_s": 0.1 * second, "backend_served": 1000 * second,
            "threads": 14, "descriptors": 60,
            "code_cache": {"all": {"used_mb": 2.1, "reserved_mb": 8.4}}, "compile_s": 1.5 + 0.001 * second,
            "gc_count": 10 + second, "gc_pause_s": 0.02 + 0.001 * second,
            "direct_mb": 1.2, "loop_lag_s": 0.004 * second, "loop_lag_count": 10 * second, "heap_used_mb": 5.0, "exchanges": 1000 * second}


def row(name, value, unit, bar, result, relation="<=", note=""):
    return {"name": name, "value": value, "unit": unit, "bar": bar, "relation": relation, "result": result, "note": note}


def example():
    """A run that passed, but for what was only reported and one figure that is missing."""
    return {
        "verdict": "pass", "at": "2026-01-02T03:04:05Z", "seconds_total": 101.5,
        "plan": {"image": "i386", "rps": 1000, "profile": "auto", "connections": 16, "duration_s": 60, "warmup_s": 20, "body_bytes": 1024,
                 "engine": "netty", "post_share": 10, "command": None},
        "rows": [row("time in the proxy, p99", 0.314159, "ms", 1.0, "pass", note="its own 0.314, on the wire missing"),
                 row("peak RSS", 34.0, "MB", 115, "pass"),
                 row("private", 14.0, "MB", None, "reported"), row("working set", 15.5, "MB", 17.4, "pass"), row("rate answered", 999.9, "rps", 1000, "pass", "="),
                 row("failed requests", 0, "", 0, "pass"), row("the generator's ceiling", 20_000, "rps", 2000, "pass", ">="),
                 row("host hiccups, p999", 1.5, "ms", None, "reported"), row("code cache", None, "%", 80, "missing")],
        "reasons": ["code cache: the metrics did not tell"],
        "system": {"kind": "container", "image": "i386", "digest": "sha256:0123", "pid": 12345, "jvm_flags": ["-Xmx8m", "-XX:+UseSerialGC"],
                   "configuration": "listeners:\n  - name: inbound\n", "version": "0.1.0"},
        "memory": {"cgroup": 1, "swap": "off", "caches": "dropped"},
        "machine": {"cpu": "Some CPU", "cores": 2, "kernel": "6.1", "memory_gib": 8.0, "steal_share": 0.001},
        "latency": {tag: latency(scale) for tag, scale in (("inbound.proxy", 60), ("wire", 90), ("probe.proxy", 200), ("probe.direct", 80),
                                                           ("host.hiccup", 50), ("added", 120), ("wait.sidecar", 20),
                                                           ("wait.generator", 40))},
        "control": {"apart": True, "before": {"cpu_us": [90.0], "wall_us": [95.0]}, "sidecar": {"cpu_us": [91.0], "wall_us": [95.0]},
                    "full_rate_s": -9.0},
        "samples": [sample(second) for second in range(-20, 61)],
        "generator": {"requests": 54_000, "failed": 0, "rate": 900.0, "p50_ms": 0, "p99_ms": 1, "ceiling_rps": 20_000,
                      "report": "gatling/run-1/index.html"},
        "files": {"probe.hlog": "probe.hlog", "a name.hlog": "a name.hlog"},
    }
