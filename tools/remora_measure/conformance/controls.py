"""What the host did to the processes on it in the steady window, and which misses of a sidecar that explains.

A control is something that a sidecar's own faults do not touch: a fixed piece of work and a clock on the sidecar's cores, the backend's
CPU per request, requests that go past the sidecar. What the sidecar's threads waited for their cores counts too, but only as far as others
ran on these cores meanwhile: a sidecar that keeps its own core busy, or runs into a CPU limit that its user set, waits for itself.
"""
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import mean, median
from typing import Any

Figures = Mapping[str, Any]
Samples = Sequence[Mapping[str, Any]]

# A host that is slower by less is as fast as it was: pieces vary as much by themselves.
LEAST_SLOWING = 1.1
LEAST_PIECES = 20
# Where others take less than that of the sidecar's cores, they are the kernel's own chores and the control itself.
LEAST_OTHERS = 0.05
# A share of the time from which on a CPU limit, and not the host, is what keeps the sidecar waiting.
LEAST_THROTTLED = 0.01
# An exchange wakes the sidecar twice, by the request and by the response.
WAKES = 2


@dataclass(frozen=True)
class Slowing:
    """What a piece of work took before the load and in the window, in us of CPU time."""
    before_us: float
    us: float

    @property
    def factor(self) -> float:
        return self.us / self.before_us


@dataclass(frozen=True)
class Controls:
    """None for what was not measured. Shares are of the window; latencies are summaries with percentiles and a curve.

    work, backend: how the host's speed changed. stretch: the wall time of the work, as a multiple of its CPU time. kept: how long others
    kept the sidecar from its cores. others: their share of these cores. throttled: how long a CPU limit kept it from running.
    sidecar_waits, generator_waits: of a thread that wants a core of the sidecar's or of the generator's. direct: of requests past the
    sidecar, only where that has cores of its own, and so cannot be what delays them."""
    work: Slowing | None = None
    stretch: float | None = None
    backend: Slowing | None = None
    kept: float | None = None
    others: float | None = None
    throttled: float | None = None
    sidecar_waits: Figures | None = None
    generator_waits: Figures | None = None
    direct: Figures | None = None
    hiccups: Figures | None = None

    def slowing(self) -> float:
        """How many times slower the host was than before the load; 1 where no control says so."""
        factor = max((control.factor for control in (self.work, self.backend) if control), default=1.0)
        return factor if factor >= LEAST_SLOWING else 1.0

    def contention(self, cpu_share: float | None) -> float:
        """How many times longer the sidecar's threads took for their work than if others had not kept them from their cores."""
        return 1 + (self.kept or 0.0) / cpu_share if cpu_share else 1.0

    def delay(self) -> float:
        """The seconds of work that may come together in one second, as others kept the sidecar from its cores before it."""
        return 1 / max(1 - (self.kept or 0.0), 0.01)

    def late_share(self, bar_ms: float, key: str) -> float:
        """The share of exchanges that the host may have made later than a bar; key is the percentile's.

        Of two waits that are together longer than the bar one is longer than half of it. What happens on the sidecar's cores and what
        happens to requests past it add up, as they have different causes; of the controls of one place, that counts which saw most."""
        waits = WAKES * max(share_above(self.sidecar_waits, bar_ms / 2), self.kept or 0.0)
        hiccups = WAKES * share_above(self.hiccups, bar_ms / 2) if in_ms(self.hiccups, key) > bar_ms else 0.0
        return min(1.0, max(waits, hiccups) + share_above(self.direct, bar_ms))


def in_ms(figures: Figures | None, key: str) -> float:
    """0 where it was not measured."""
    return ((figures or {}).get(key) or 0.0) / 1e3


def share_above(figures: Figures | None, ms: float) -> float:
    """The share of a summary's values that exceed so many ms, by its curve; 0 where there is none."""
    before, before_us = 0.0, 0.0
    for point in (figures or {}).get("curve") or []:
        percentile, us = point
        if us > ms * 1e3:
            part = (ms * 1e3 - before_us) / (us - before_us)
            return 1 - (before + max(0.0, part) * (percentile - before)) / 100
        before, before_us = percentile, us
    return 0.0


def of(measured: Mapping[str, Any]) -> Controls:
    """Those of a run."""
    told, latency, samples = measured.get("control") or {}, measured["latency"], measured["samples"]
    steady = [one for one in samples if one["t_s"] >= 0]
    before, within = told.get("before") or {}, told.get("sidecar") or {}
    kept, others = kept_by_others(steady)
    return Controls(
        work=slowing_of_work(before.get("cpu_us") or [], within.get("cpu_us") or []), stretch=stretch(within),
        backend=slowing_of_backend(samples, told.get("full_rate_s")), kept=kept, others=others,
        throttled=rise(steady, "throttled_s"), sidecar_waits=latency.get("wait.sidecar"), generator_waits=latency.get("wait.generator"),
        direct=latency.get("probe.direct") if told.get("apart") else None, hiccups=latency.get("host.hiccup"))


def slowing_of_work(before: Sequence[float], within: Sequence[float]) -> Slowing | None:
    """By the mean, to which rare long stalls belong, less the worst piece, so that one accident is no slow host."""
    if min(len(before), len(within)) < LEAST_PIECES:
        return None
    return Slowing(median(before), mean(sorted(within)[:-1]))


def stretch(within: Figures) -> float | None:
    """The wall time of the pieces as a multiple of their CPU time."""
    cpu = sum(within.get("cpu_us") or [])
    return sum(within["wall_us"]) / cpu if cpu else None


def slowing_of_backend(samples: Samples, full_rate_s: float | None) -> Slowing | None:
    """Against what a request took from a time before the window on, at the same rate: the calibration of the generator has more requests
    at once, and finds the backend's code not compiled."""
    if full_rate_s is None:
        return None
    before, within = cost_us(samples, full_rate_s, 0.0), cost_us(samples, 0.0, float("inf"))
    return Slowing(before, within) if before and within is not None else None


def cost_us(samples: Samples, begin: float, end: float) -> float | None:
    """The backend's CPU time for a request between two times; None where too little is known."""
    there = [one for one in samples if begin <= one["t_s"] <= end and one.get("backend_served") is not None]
    served = there[-1]["backend_served"] - there[0]["backend_served"] if there else 0
    return 1e6 * (there[-1]["backend_cpu_s"] - there[0]["backend_cpu_s"]) / served if served >= 100 else None


def kept_by_others(steady: Samples) -> tuple[float | None, float | None]:
    """The shares of the window for which others kept the sidecar from its cores, and which they took of these cores."""
    told = [one for one in steady if one.get("cores_busy_s") is not None and one.get("waited_s") is not None]
    if len(told) < 2:
        return None, None
    kept = others = 0.0
    for before, after in zip(told, told[1:]):
        seconds = after["t_s"] - before["t_s"]
        ran = max(0.0, rose(before, after, "cores_busy_s") - rose(before, after, "cpu_s"))
        others += ran
        if ran > LEAST_OTHERS * seconds and rose(before, after, "throttled_s") <= LEAST_THROTTLED * seconds:
            kept += min(rose(before, after, "waited_s"), ran)
    whole = told[-1]["t_s"] - told[0]["t_s"]
    return kept / whole, others / whole


def rose(before: Figures, after: Figures, key: str) -> float:
    return (after.get(key) or 0.0) - (before.get(key) or 0.0)


def rise(steady: Samples, key: str) -> float | None:
    """The rise of a counter for each second."""
    told = [one for one in steady if one.get(key) is not None]
    return rose(told[0], told[-1], key) / (told[-1]["t_s"] - told[0]["t_s"]) if len(told) > 1 else None
