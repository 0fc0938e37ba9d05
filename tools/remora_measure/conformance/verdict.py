"""The bars, and whether what was measured meets them.

A row is a figure with its bar: name, value, unit, bar, relation, result (pass, fail, inconclusive, reported, missing), note.
"""
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

Latencies = Mapping[str, Any]
Samples = Sequence[Mapping[str, Any]]

SIDECAR = "the sidecar"
PASS, FAIL, INCONCLUSIVE, REPORTED, MISSING = "pass", "fail", "inconclusive", "reported", "missing"
STATUS = {PASS: 0, FAIL: 1, INCONCLUSIVE: 2}

P99_MS, P999_MS = 1.0, 5.0
# Peak RSS in MB up to a rate, the origin's own figures at these.
RSS_MB_BY_RPS = ((100, 105), (1_000, 115), (40_000, 300))
CPU_SHARE, CPU_RPS = 0.20, 1_000
RATE_DEVIATION = 0.01
CEILING_FACTOR = 2
CODE_CACHE_SHARE = 0.80
# A cache less full than that has room: where it shrinks, the JVM put away code that it had replaced.
FLUSHES_FROM_SHARE = 0.50
# A share of one core, all through the steady window, that late compilation may take; and methods compiled in any one second of it.
COMPILE_SHARE, COMPILE_STORM_METHODS = 0.05, 100
# Growth over the last half of a run that is not told from noise: a share of the figure, and at least so much of it.
GROWTH_SHARE = 0.02
RSS_GROWTH_MB = 1.0


@dataclass(frozen=True)
class Row:
    name: str
    value: Any
    unit: str = ""
    bar: Any = None
    relation: str = "<="
    result: str = REPORTED
    note: str = ""


def at_most(name: str, value: float | None, unit: str, bar: float | None, note: str = "") -> Row:
    """A row with a bar from above; reported where there is no bar, missing where there is no value."""
    if value is None:
        return Row(name, None, unit, bar, result=MISSING, note=note)
    return Row(name, value, unit, bar, result=REPORTED if bar is None else PASS if value <= bar else FAIL, note=note)


def rss_bar_mb(rps: int) -> float | None:
    return next((bar for most, bar in RSS_MB_BY_RPS if rps <= most), None)


def in_ms(latency: Latencies, tag: str, key: str) -> float | None:
    """None where there is no such latency, or nothing was counted."""
    told = (latency.get(tag) or {}).get(key)
    return None if told is None else told / 1e3


def latency_row(quantile: str, key: str, bar_ms: float, latency: Latencies, wire_missing: str | None = None) -> Row:
    """Time in the proxy: the worse of the wire's and of its own. wire_missing says why there is no wire's, where more is known."""
    sources = (("inbound.proxy", "its own"), ("wire", "on the wire"))
    found = {source: value for tag, source in sources if (value := in_ms(latency, tag, key)) is not None}
    name = f"time in the proxy, {quantile}"
    if not found:
        return Row(name, None, "ms", bar_ms, result=INCONCLUSIVE, note="neither the sidecar nor the wire told it")
    note = ", ".join(f"{source} {value:.3f}" for source, value in found.items())
    if "on the wire" not in found:
        note += ", on the wire missing" + (f": {wire_missing}" if wire_missing else "")
    return unless_the_host_excuses(at_most(name, max(found.values()), "ms", bar_ms, note), key, latency)


def added_row(quantile: str, key: str, bar_ms: float | None, latency: Latencies) -> Row:
    row = at_most(f"added latency, {quantile}", in_ms(latency, "added", key), "ms", bar_ms,
                  "as a caller saw it, less that without a proxy")
    return unless_the_host_excuses(row, key, latency)


def unless_the_host_excuses(row: Row, key: str, latency: Latencies) -> Row:
    """A latency's row; a miss is inconclusive while the host's own hiccups at that percentile exceed the bar."""
    hiccup = in_ms(latency, "host.hiccup", key) or 0.0
    if row.result != FAIL or row.bar is None or hiccup <= row.bar:
        return row
    return replace(row, result=INCONCLUSIVE, note=f"{row.note}; the host's own hiccups {hiccup:.3f}")


def is_ceiling_enough(rps: int, ceiling_rps: float | None) -> bool:
    return ceiling_rps is not None and ceiling_rps >= CEILING_FACTOR * rps


def generator_rows(rps: int, ceiling_rps: float | None, sent_rps: float | None, answered_rps: float | None) -> list[Row]:
    """The generator must have been able to do twice the rate, and have sent it; then the sidecar must have answered it."""
    deviation = None if sent_rps is None else abs(sent_rps - rps) / rps
    enough = is_ceiling_enough(rps, ceiling_rps)
    kept = deviation is not None and deviation <= RATE_DEVIATION
    answered = None if answered_rps is None else abs(answered_rps - rps) / rps
    return [
        Row("the generator's ceiling", ceiling_rps, "rps", CEILING_FACTOR * rps, ">=", PASS if enough else INCONCLUSIVE,
            "straight to the backend; it was asked for a tenth more than the bar"),
        Row("rate sent", sent_rps, "rps", rps, "=", PASS if kept else INCONCLUSIVE, "within 1 %"),
        Row("rate answered", answered_rps, "rps", rps, "=", MISSING if answered is None else PASS if answered <= RATE_DEVIATION else FAIL,
            "within 1 %"),
    ]


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


def code_cache_rows(samples: Samples, told_full: int) -> list[Row]:
    """How full the fullest segment was, and how often code was thrown out: falls of more than a twentieth between two samples, from a
    segment that was filling up."""
    caches = [one["code_cache"] for one in samples if one.get("code_cache")]
    if not caches:
        return [Row("code cache", None, "%", 100 * CODE_CACHE_SHARE, result=MISSING, note="the sidecar's metrics did not tell")]
    fullest = [max(segment["used_mb"] / segment["reserved_mb"] for segment in cache.values()) for cache in caches]
    totals = [sum(segment["used_mb"] for segment in cache.values()) for cache in caches]
    flushes = sum(share > FLUSHES_FROM_SHARE and after < 0.95 * before
                  for share, before, after in zip(fullest, totals, totals[1:])) + told_full
    return [at_most("code cache, fullest segment", 100 * max(fullest), "%", 100 * CODE_CACHE_SHARE),
            at_most("code cache flushed", flushes, "times", 0)]


def compile_rows(samples: Samples, methods_by_second: Mapping[int, int] | None) -> list[Row]:
    """Late compilation, which stalls what it competes with. methods_by_second is None where the JVM's log does not tell."""
    steady = [one for one in samples if one["t_s"] >= 0 and one.get("compile_s") is not None]
    share = None
    if len(steady) >= 2:
        share = 100 * (steady[-1]["compile_s"] - steady[0]["compile_s"]) / (steady[-1]["t_s"] - steady[0]["t_s"])
    rows = [at_most("compiling in the steady window", share, "% of a core", 100 * COMPILE_SHARE)]
    if methods_by_second is None:
        return rows + [Row("methods compiled in the worst second", None, "", COMPILE_STORM_METHODS, result=MISSING,
                           note="the JVM did not log them")]
    worst = max(methods_by_second.values(), default=0)
    return rows + [at_most("methods compiled in the worst second", worst, "", COMPILE_STORM_METHODS,
                           f"{sum(methods_by_second.values())} in the whole window")]


def resource_rows(rps: int, peak_rss_mb: float | None, cpu_share: float | None, failed: int | None) -> list[Row]:
    return [at_most("peak RSS", peak_rss_mb, "MB", rss_bar_mb(rps)),
            at_most("CPU", None if cpu_share is None else 100 * cpu_share, "% of a core", 100 * CPU_SHARE if rps <= CPU_RPS else None),
            at_most("failed requests", failed, "", 0)]


def fault_rows(fault: str | None) -> list[Row]:
    """A row only where the sidecar was not up to the load at all, which fails it whatever else was seen."""
    return [Row(SIDECAR, "gave up", "", "runs", "=", FAIL, fault)] if fault else []


def gross_rows(load: Mapping[str, Any]) -> list[Row]:
    """What Gatling judged, in whole milliseconds: a stall that the other clocks did not see would show."""
    return [at_most(f"GETs as Gatling saw them, {name}", load.get(key), "ms", None) for name, key in (("p99", "p99_ms"), ("worst", "max_ms"))]


def host_rows(latency: Latencies, steal_share: float | None) -> list[Row]:
    rows = [at_most(f"host hiccups, {name}", in_ms(latency, "host.hiccup", key), "ms", None)
            for name, key in (("p99", "p99_us"), ("p999", "p999_us"), ("worst", "max_us"))]
    return rows + [at_most("CPU stolen from this machine", None if steal_share is None else 100 * steal_share, "%", None)]


def overall(rows: Sequence[Row]) -> str:
    """Fail where the sidecar gave up; inconclusive where the generator missed, whatever else was seen; else the worst of the rows.

    A figure that has a bar and is missing is no pass."""
    if any(row.name == SIDECAR for row in rows):
        return FAIL
    if any(row.result == INCONCLUSIVE and row.unit == "rps" for row in rows):
        return INCONCLUSIVE
    results = {INCONCLUSIVE if is_missed_out(row) else row.result for row in rows}
    return FAIL if FAIL in results else INCONCLUSIVE if INCONCLUSIVE in results else PASS


def is_missed_out(row: Row) -> bool:
    return row.result == MISSING and row.bar is not None


def reasons(rows: Sequence[Row]) -> list[str]:
    """A line for each row that is no pass, for whoever reads one line only."""
    return [f"{row.name}: {shown(row.value)} {row.unit}, bar {row.relation} {shown(row.bar)}; {row.note}".rstrip("; ")
            for row in rows if row.result in (FAIL, INCONCLUSIVE) or is_missed_out(row)]


def shown(value: object) -> str:
    return "nothing" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)


def as_dicts(rows: Sequence[Row]) -> list[dict[str, Any]]:
    return [asdict(row) for row in rows]
