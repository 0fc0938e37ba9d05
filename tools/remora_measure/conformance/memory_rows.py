"""The rows of what a sidecar costs its node: private memory, and the working set of its cgroup."""
from collections.abc import Mapping
from typing import Any

from ..systems import configurations, sidecars
from .plan import Plan
from .verdict import CPU_RPS, MISSING, Row, Samples, at_most

# Working sets by `make working-set` at 1,000 requests a second, in MB by image; of a container those of its runtime image.
MEASURED_MB = {"i386-client": 12.1, "amd64-c1": 16.3}
RUNTIME_IMAGES = {"i386": "i386-client"}
# This test's own questions and its log of compilations raise the working set as they raise peak RSS; so does each connection that the generator opens because the
# host keeps the sidecar waiting.
ASKED_MB = 3.0
CONNECTION_MB = 8192 / 1e6
ROOM = 0.15
KINDS = "anonymous, dirty, shared and swapped memory"


def bar_mb(asked: Plan, peak_rss_mb: float | None, more_mb: float = 0.0, connections: float = 0.0) -> float | None:
    """The bar of a run like those that were measured, which has room above them. No other run may be charged more than its own peak RSS: pages that no process
    maps would hide there."""
    plain = not asked.command and asked.engine == sidecars.NETTY and asked.features == configurations.PLAIN and asked.rps <= CPU_RPS
    measured = MEASURED_MB.get(RUNTIME_IMAGES.get(asked.image, asked.image)) if plain else None
    if measured is None:
        return peak_rss_mb
    return round((measured + ASKED_MB) * (1 + ROOM) + CONNECTION_MB * max(0.0, connections - asked.connections), 1) + more_mb


def rows(asked: Plan, measured: Mapping[str, Any], peak_rss_mb: float | None, more_mb: float = 0.0) -> list[Row]:
    """Rows with the highest sample of the steady window. more_mb is what TLS or HTTP/2 may add to the bar of an image."""
    told, samples = measured.get("memory") or {}, measured["samples"]
    swap = f"swap {told.get('swap')}"
    if told.get("cgroup") is None:
        return [at_most("private", most(samples, "private_mb"), "MB", None, f"by smaps_rollup, with what is swapped out; {swap}"),
                Row("working set", None, "MB", result=MISSING, note="unknown: the sidecar has no memory cgroup of its own that is to be seen here")]
    version = f"cgroup version {told['cgroup']}"
    less = "; version 1 charges less of the kernel's memory" if told["cgroup"] == 1 else ""
    return [at_most("private", most(samples, "private_mb"), "MB", None, f"{KINDS}; {version}, {swap}"),
            at_most("working set", most(samples, "working_set_mb"), "MB", bar_mb(asked, peak_rss_mb, more_mb, most(samples, "connections") or 0.0),
                    f"charged less inactive file pages; {version}, caches {told.get('caches')}{less}")]


def most(samples: Samples, key: str) -> float | None:
    return max((one[key] for one in samples if one["t_s"] >= 0 and one.get(key) is not None), default=None)
