"""Runs of many sidecars at once: the memory that their node loses for each, from dropped caches to the rest after some requests."""
import statistics
import time
from collections.abc import Callable
from typing import Any

from .arms import Bench
from .load.java_tools import LoadSession
from .machine import kernel, page_cache
from .runs import require_none_failed
from .systems.herd import Herd, Start

# Rate of all systems together, while they respond before they rest.
SERVED_RPS = 1000
# Duration of load on the backend, so that the tools' own files are in the kernel's cache before the first sample.
TOOLS_READ_S = 2
LOOKS, BETWEEN_LOOKS_S = 5, 0.5

Figures = dict[str, Any]


def available_mb() -> float:
    """The median of some looks, as others come and go."""
    found = []
    for _ in range(LOOKS):
        time.sleep(BETWEEN_LOOKS_S)
        found.append(kernel.available_mb())
    return statistics.median(found)


def serve(session: LoadSession, herd: Herd, requests: int) -> None:
    """Sends so many requests to each. Raises RequestsFailed."""
    rate = SERVED_RPS / len(herd.members)
    session.begin_herd(rate, 0, requests / rate, herd.fronts())
    require_none_failed(session.answer()["failed"])


def drop_caches(bench: Bench) -> bool:
    """Drops the kernel's caches and has the load tools read their own files again, which no sidecar pays for. False where this user may not."""
    dropped = page_cache.drop_all()
    if dropped:
        with LoadSession(bench.work, bench.java_home, bench.log, bench.ports) as session:
            session.begin_herd(SERVED_RPS, 0, TOOLS_READ_S, [bench.ports.backend])
            require_none_failed(session.answer()["failed"])
    return dropped


def measure(bench: Bench, start: Start, count: int, requests: int, rest_s: float,
            busy: Callable[[Herd, LoadSession], Figures] = lambda _herd, _session: {}, keep_caches: bool = False) -> Figures:
    """Figures of busy() on a herd that has started, and "rested": sums in MB once each has answered its requests and rested. marginal_mb is what the node has
    lost since its caches were dropped; kept_mb is the part that it does not have back after the herd's end, because others took it. Both are None where this
    user may not drop caches, or keeps them. Raises RequestsFailed."""
    before_mb = available_mb() if not keep_caches and drop_caches(bench) else None
    herd = Herd(start, count, bench.work, bench.ports.backend)
    try:
        with LoadSession(bench.work, bench.java_home, bench.log, bench.ports) as session:
            found = busy(herd, session)
            serve(session, herd, requests)
        # the load's own process has ended, which takes memory as well
        time.sleep(rest_s)
        rested_mb, paid = available_mb(), herd.paid_mb()
    finally:
        herd.stop()
    marginal, kept = (None, None) if before_mb is None else (before_mb - rested_mb, before_mb - available_mb())
    return {**found, "cgroup": herd.version(), "rested": {**paid, "marginal_mb": marginal, "kept_mb": kept}}
