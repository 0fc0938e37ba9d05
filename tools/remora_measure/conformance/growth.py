"""Whether something climbs: within a run, and from one process to the next."""
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from .verdict import FAIL, INCONCLUSIVE, MISSING, Row, Samples, at_most

# Growth over the last half of a run that is not told from noise: a share of the figure, and at least so much of it.
GROWTH_SHARE = 0.02
RSS_GROWTH_MB = 1.0
# Processes that are compared; fewer say nothing.
LEAST_PROCESSES = 6
# Standard errors of a slope that count as chance: one line in forty is further up, of ten processes.
CHANCE = 2.3


def slope(points: Sequence[tuple[float, float]]) -> float:
    """Least squares: the rise of y for each unit of x; 0 for fewer than two points."""
    count = len(points)
    mean_x, mean_y = (sum(point[axis] for point in points) / max(count, 1) for axis in (0, 1))
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / spread if spread else 0.0


class Growth(NamedTuple):
    by: float
    mean: float
    seconds: float


def growth(samples: Samples, key: str) -> Growth | None:
    """What a figure grew by over the last half of the samples, as a straight line through them has it; None of too few."""
    points = [(one["t_s"], one[key]) for one in samples if one["t_s"] >= 0 and one.get(key) is not None]
    half = points[len(points) // 2:]
    if len(half) < 3:
        return None
    seconds = half[-1][0] - half[0][0]
    return Growth(slope(half) * seconds, sum(value for _, value in half) / len(half), seconds)


def with_released_pages(samples: Samples) -> Samples:
    """The samples with file pages that the sidecar has released counted in `rss_mb`: up to their former peak they come back when they are read, which is not growth.
    Anonymous memory cannot come back so, and file pages above their peak count. Samples without `file_mb` stay as they are."""
    peak, counted = 0.0, []
    for one in samples:
        file_mb = one.get("file_mb")
        if file_mb is None or one.get("rss_mb") is None:
            counted.append(one)
            continue
        peak = max(peak, file_mb)
        counted.append({**one, "rss_mb": one["rss_mb"] - file_mb + peak})
    return counted


def rss_growth_row(samples: Samples) -> Row:
    return growth_row("RSS growth", with_released_pages(samples), "rss_mb", "MB", RSS_GROWTH_MB)


def growth_row(name: str, samples: Samples, key: str, unit: str, least: float) -> Row:
    grown = growth(samples, key)
    if grown is None:
        return Row(name, None, unit, least, result=MISSING, note="too few samples")
    bar = max(least, GROWTH_SHARE * grown.mean)
    note = f"over the last {grown.seconds:.0f} s; {grown.by / grown.seconds * 3600:+.3g} {unit} an hour"
    return at_most(name, round(grown.by, 4) + 0.0, unit, round(bar, 3), note)


def cpu_growth_row(samples: Samples, least: float) -> Row:
    """A miss is inconclusive where the backend, which does the same all along, explains it: then it was the host that slowed down."""
    row = growth_row("growth of CPU", samples, "cpu_share", "of a core", least)
    own, backend = growth(samples, "cpu_share"), growth(samples, "backend_cpu_share")
    if row.result != FAIL or row.bar is None or not own or not backend or backend.mean <= 0:
        return row
    share = backend.by / backend.mean
    if own.by - own.mean * share > row.bar:
        return row
    return replace(row, result=INCONCLUSIVE, note=f"{row.note}; the backend's grew by {100 * share:.0f} % as well")


def between_row(name: str, samples: Samples, key: str, unit: str, least: float) -> Row:
    """Of processes that followed one another, a sample for each, at the same age: each is a process of its own, so that two differ by chance. A growth beyond
    its bar that the spread around a straight line explains is inconclusive."""
    points = [(one["t_s"], float(one[key])) for one in samples if one.get(key) is not None]
    if len(points) < LEAST_PROCESSES:
        return Row(name, None, unit, least, result=MISSING, note=f"{len(points)} processes, which are too few")
    span = points[-1][0] - points[0][0]
    grown, chance = slope(points) * span, CHANCE * slope_error(points) * span
    bar = max(least, GROWTH_SHARE * sum(value for _, value in points) / len(points))
    row = at_most(name, round(grown, 4) + 0.0, unit, round(bar, 3), f"over {len(points)} processes, {chance:.2g} of it by chance")
    return replace(row, result=INCONCLUSIVE) if row.result == FAIL and grown - chance <= bar else row


def slope_error(points: Sequence[tuple[float, float]]) -> float:
    """The standard error of a slope, by what the points are off their line; of three points at least."""
    rise = slope(points)
    mean_x, mean_y = (sum(point[axis] for point in points) / len(points) for axis in (0, 1))
    off = sum((y - mean_y - rise * (x - mean_x)) ** 2 for x, y in points)
    return math.sqrt(off / (len(points) - 2) / sum((x - mean_x) ** 2 for x, _ in points))
