"""The rows of what a sidecar costs its node: private memory, and the working set of its cgroup."""
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..systems import configurations, sidecars
from .controls import Controls
from .plan import Plan
from .verdict import ALLOWED_LATE, CPU_RPS, FAIL, INCONCLUSIVE, MISSING, P99_MS, QUIET, Row, Samples, at_most

# Working sets in a cgroup of version 1, by `./measure working-set` at 1,000 requests a second, in MB by image. A container has that of its runtime image.
MEASURED_MB = {"i386-client": 8.4, "amd64-c1": 11.0, "compact3-amd64": 11.6, "amd64-tiered": 26.2}
RUNTIME_IMAGES = {"i386": "i386-client", "compact3": "compact3-amd64"}
# This test's own requests and its log of compilations raise the working set as they raise peak RSS. So does each connection that the generator opens because the
# host keeps the sidecar waiting.
ASKED_MB = 3.0
CONNECTION_MB = 8192 / 1e6
ROOM = 0.15
KINDS = "anonymous, dirty, shared and swapped memory"


def bar_mb(asked: Plan, more_mb: float = 0.0, connections: float = 0.0) -> float | None:
    """The bar of a run like those that were measured, which has room above them; None of any other."""
    plain = not asked.command and asked.engine == sidecars.NETTY and asked.features == configurations.PLAIN and asked.rps <= CPU_RPS
    image = asked.image.removesuffix(sidecars.WITH_OPENSSL)
    measured = MEASURED_MB.get(RUNTIME_IMAGES.get(image, image)) if plain else None
    if measured is None:
        return None
    return round((measured + ASKED_MB) * (1 + ROOM) + CONNECTION_MB * max(0.0, connections - asked.connections), 1) + more_mb


def rows(asked: Plan, measured: Mapping[str, Any], peak_rss_mb: float | None, more_mb: float = 0.0, host: Controls = QUIET, in_soak: bool = False) -> list[Row]:
    """Rows with the highest sample of the steady window. more_mb is what TLS or HTTP/2 may add to the bar of an image."""
    return [*charged_rows(asked, measured, peak_rss_mb, more_mb, host, in_soak), *kubelet_rows(asked, measured)]


def kubelet_rows(asked: Plan, measured: Mapping[str, Any]) -> list[Row]:
    """A row only where the kubelet was asked: its figures are some seconds old."""
    if not asked.kubelet:
        return []
    told = (measured.get("memory") or {}).get("kubelet")
    return [at_most("working set, by the kubelet", most(measured["samples"], "kubelet_mb"), "MB", None, told or "as kubectl top shows it")]


def charged_rows(asked: Plan, measured: Mapping[str, Any], peak_rss_mb: float | None, more_mb: float, host: Controls, in_soak: bool) -> list[Row]:
    told, samples = measured.get("memory") or {}, measured["samples"]
    swap = f"swap {told.get('swap')}"
    if told.get("cgroup") is None:
        return [at_most("private", most(samples, "private_mb"), "MB", None, f"by smaps_rollup, with what is swapped out; {swap}"),
                Row("working set", None, "MB", asked.working_set_mb, result=MISSING, note="unknown: the sidecar has no memory cgroup of its own that is to be seen here")]
    version = f"cgroup version {told['cgroup']}"
    less = "; version 1 charges less of the kernel's memory" if told["cgroup"] == 1 else ""
    note = f"charged less inactive file pages; {version}, caches {told.get('caches')}{less}"
    private = at_most("private", most(samples, "private_mb"), "MB", None, f"{KINDS}; {version}, {swap}")
    if asked.working_set_mb is not None:
        return [private, at_most("working set", most(samples, "working_set_mb"), "MB", asked.working_set_mb, note)]
    bar = bar_mb(asked, more_mb, most(samples, "connections") or 0.0)
    return [private, working_set_row(most(samples, "working_set_mb"), bar, unlike_measured(bar, told["cgroup"], in_soak), peak_rss_mb, note, host)]


def unlike_measured(bar: float | None, version: int, in_soak: bool) -> str | None:
    """The reason why no bar was measured for a run; None where one was."""
    if in_soak:
        return "a soak runs longer than what was measured"
    if bar is None:
        return "nothing like it was measured"
    return None if version == 1 else f"version {version} also charges sockets, and was not measured"


def working_set_row(value: float | None, bar: float | None, unlike: str | None, peak_rss_mb: float | None, note: str, host: Controls) -> Row:
    """A run that is unlike those measured may not be charged more than its own peak RSS: pages that no process maps would hide there. A host that kept the sidecar
    waiting leaves a miss of a measured bar open, up to peak RSS, above which no waiting brings a sidecar."""
    if unlike:
        return at_most("working set", value, "MB", peak_rss_mb, f"{note}; the bar is this run's own peak RSS, as {unlike}")
    row = at_most("working set", value, "MB", bar, note)
    late = host.late_share(P99_MS, "p99_us")
    if row.result != FAIL or late <= ALLOWED_LATE["p99_us"] or (peak_rss_mb is not None and row.value > peak_rss_mb):
        return row
    return replace(row, result=INCONCLUSIVE, note=f"{note}; the host may have made {100 * late:.2g} % of the exchanges later than {P99_MS:g} ms, and what waits takes memory")


def most(samples: Samples, key: str) -> float | None:
    return max((one[key] for one in samples if one["t_s"] >= 0 and one.get(key) is not None), default=None)
