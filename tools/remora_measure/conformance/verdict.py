"""The bars, and whether what was measured meets them.

A row is a figure with its bar: name, value, unit, bar, relation, result (pass, fail, inconclusive, reported, missing), note.
"""
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from . import controls
from .controls import Controls

Latencies = Mapping[str, Any]
Samples = Sequence[Mapping[str, Any]]

QUIET = Controls()
SIDECAR, CEILING, SENT = "the sidecar", "the generator's ceiling", "rate sent"
PASS, FAIL, INCONCLUSIVE, REPORTED, MISSING = "pass", "fail", "inconclusive", "reported", "missing"
STATUS = {PASS: 0, FAIL: 1, INCONCLUSIVE: 2}

P99_MS, P999_MS = 1.0, 5.0
# The share of exchanges that may be later than the bar of a percentile.
ALLOWED_LATE = {"p99_us": 0.01, "p999_us": 0.001}
# Peak RSS in MB up to a rate, the origin's own figures at these.
RSS_MB_BY_RPS = ((100, 105), (1_000, 115), (40_000, 300))
CPU_SHARE, CPU_RPS = 0.20, 1_000
# Another engine's own bars: of CPU, so many times the default engine's; of RSS in MB up to the same rate, by the bits of its JVM.
CPU_TIMES = {"finagle": 2.8}
ENGINE_RSS_MB = {("finagle", 32): 90, ("finagle", 64): 112}
RATE_DEVIATION = 0.01
# The share of the requests that may be sent so late that they come in batches.
LATE_SHARE = 0.01
CEILING_FACTOR = 2
# From so many failed requests of a phase on, the generator gives up (Phase.isHopeless).
HOPELESS = 1_000
CODE_CACHE_SHARE = 0.80
# A cache less full than that has room: where it shrinks, the JVM put away code that it had replaced.
FLUSHES_FROM_SHARE = 0.50
# A share of one core, all through the steady window, that late compilation may take; and methods compiled in any one second of it.
COMPILE_SHARE, COMPILE_STORM_METHODS = 0.05, 100


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


def rss_bar_mb(rps: int, more_mb: float = 0.0) -> float | None:
    return next((bar + more_mb for most, bar in RSS_MB_BY_RPS if rps <= most), None)


def engine_rss_bar_mb(engine: str, bits: int | None, rps: int, more_mb: float = 0.0) -> float | None:
    """Of an engine without bars of its own, or a JVM whose bits are not known, or a higher rate, the bar of all sidecars."""
    own = ENGINE_RSS_MB.get((engine, bits or 0)) if rps <= CPU_RPS else None
    return rss_bar_mb(rps, more_mb) if own is None else own + more_mb


def in_ms(latency: Latencies, tag: str, key: str) -> float | None:
    """None where there is no such latency, or nothing was counted."""
    told = (latency.get(tag) or {}).get(key)
    return None if told is None else told / 1e3


def latency_row(quantile: str, key: str, bar_ms: float, latency: Latencies, wire_missing: str | None = None,
                host: Controls = QUIET) -> Row:
    """Time in the proxy: the worse of the wire's and of its own. wire_missing says why there is no wire's, where more is known."""
    sources = (("inbound.proxy", "its own"), ("wire", "on the wire"))
    found = {source: value for tag, source in sources if (value := in_ms(latency, tag, key)) is not None}
    name = f"time in the proxy, {quantile}"
    if not found:
        return Row(name, None, "ms", bar_ms, result=INCONCLUSIVE, note="neither the sidecar nor the wire told it")
    note = ", ".join(f"{source} {value:.3f}" for source, value in found.items())
    if "on the wire" not in found:
        note += ", on the wire missing" + (f": {wire_missing}" if wire_missing else "")
    late = max(late_share(latency.get(tag), key, bar_ms) for tag, _ in sources)
    return unless_the_host_was_late(at_most(name, max(found.values()), "ms", bar_ms, note), key, late, host)


def unseen_wire_rows(in_pod: bool, why: str | None) -> list[Row]:
    """A row that names what a run in a pod leaves out, where it may not capture packets."""
    return [Row("time in the proxy on the wire", None, "ms", result=MISSING, note=why)] if in_pod and why else []


def added_row(quantile: str, key: str, bar_ms: float | None, latency: Latencies, host: Controls = QUIET) -> Row:
    """A difference to requests that are themselves later than the bar tells nothing, whether it meets the bar or not."""
    row = at_most(f"added latency, {quantile}", in_ms(latency, "added", key), "ms", bar_ms,
                  "as a caller saw it, less that without a proxy")
    direct = controls.in_ms(host.direct, key)
    if bar_ms is not None and row.value is not None and direct > bar_ms:
        return replace(row, result=INCONCLUSIVE, note=f"{row.note}, which was {direct:.3f} alone")
    return row if bar_ms is None else unless_the_host_was_late(row, key, late_share(latency.get("added"), key, bar_ms), host)


def late_share(figures: controls.Figures | None, key: str, bar_ms: float) -> float:
    """The share of exchanges later than a bar; all of them where a percentile is known to be later and nothing more."""
    if controls.in_ms(figures, key) <= bar_ms:
        return 0.0
    return controls.share_above(figures, bar_ms) or 1.0


def unless_the_host_was_late(row: Row, key: str, late: float, host: Controls) -> Row:
    """A latency's row; a miss is inconclusive where the host explains so many of the late exchanges that the rest meet the bar.

    late is the share of all exchanges that were later than the bar."""
    if row.result != FAIL or row.bar is None:
        return row
    explained = host.late_share(row.bar, key)
    if explained == 0:
        return row
    note = f"{row.note}; {100 * late:.2g} % were later, and the host explains {100 * explained:.2g} %"
    return replace(row, result=INCONCLUSIVE if late - explained <= ALLOWED_LATE[key] else FAIL, note=note)


def unless_the_host_was_slow(row: Row, host: Controls, times: float, why: str) -> Row:
    """A row whose figure the host multiplied; a miss is inconclusive where the rest meets the bar."""
    if row.result != FAIL or times <= 1:
        return row
    note = f"{row.note}; the host {why} {times:.2f} times, without which it is {row.value / times:.3g}".removeprefix("; ")
    return replace(row, result=INCONCLUSIVE if row.value / times <= row.bar else FAIL, note=note)


def is_ceiling_enough(rps: int, ceiling_rps: float | None) -> bool:
    return ceiling_rps is not None and ceiling_rps >= CEILING_FACTOR * rps


def generator_rows(rps: int, ceiling_rps: float | None, sent_rps: float | None, answered_rps: float | None,
                   late: float | None = 0.0, host: Controls = QUIET) -> list[Row]:
    """The generator must have been able to do twice the rate, and have sent it; then the sidecar must have answered it.

    late is the share of the requests that were sent far behind their plan: batches are another load than the one that was asked for."""
    deviation = None if sent_rps is None else abs(sent_rps - rps) / rps
    enough = is_ceiling_enough(rps, ceiling_rps)
    kept = deviation is not None and deviation <= RATE_DEVIATION and (late or 0.0) <= LATE_SHARE
    return [
        Row(CEILING, ceiling_rps, "rps", CEILING_FACTOR * rps, ">=", PASS if enough else INCONCLUSIVE,
            "straight to the backend"),
        Row(SENT, sent_rps, "rps", rps, "=", PASS if kept else INCONCLUSIVE,
            "within 1 %" + (f"; {100 * late:.2g} % were sent over 20 ms late" if late else "")),
        answered_row(rps, answered_rps, host),
    ]


def answered_row(rps: int, answered_rps: float | None, host: Controls) -> Row:
    """While others keep a sidecar from its cores it may fall behind by as much."""
    row = Row("rate answered", answered_rps, "rps", rps, "=", note="within 1 %")
    if answered_rps is None:
        return replace(row, result=MISSING)
    kept, deviation = host.kept or 0.0, abs(answered_rps - rps) / rps
    if deviation <= RATE_DEVIATION or deviation - kept > RATE_DEVIATION:
        return replace(row, result=PASS if deviation <= RATE_DEVIATION else FAIL)
    return replace(row, result=INCONCLUSIVE, note=f"{row.note}; the host kept the sidecar from its cores {100 * kept:.2g} % of the time")


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


def compile_rows(samples: Samples, methods_by_second: Mapping[int, int] | None, cpu_share: float | None = None,
                 host: Controls = QUIET, unread: str | None = None) -> list[Row]:
    """Late compilation, which stalls what it competes with. methods_by_second is None where the JVM's log does not tell; unread says why there is no log that
    could, and then the row has no bar.

    The JVM tells how long it compiled by the clock on the wall, which goes on where others keep a compiler from its core."""
    steady = [one for one in samples if one["t_s"] >= 0 and one.get("compile_s") is not None]
    share = None
    if len(steady) >= 2:
        share = 100 * (steady[-1]["compile_s"] - steady[0]["compile_s"]) / (steady[-1]["t_s"] - steady[0]["t_s"])
    row = at_most("compiling in the steady window", share, "% of a core", 100 * COMPILE_SHARE)
    rows = [unless_the_host_was_slow(row, host, host.slowing() * host.contention(cpu_share), "made it longer")]
    if methods_by_second is None and unread:
        return rows + [Row("methods compiled in the worst second", None, result=MISSING, note=f"left out: {unread}")]
    if methods_by_second is None:
        return rows + [Row("methods compiled in the worst second", None, "", COMPILE_STORM_METHODS, result=MISSING,
                           note="the JVM did not log them")]
    worst = at_most("methods compiled in the worst second", max(methods_by_second.values(), default=0), "", COMPILE_STORM_METHODS,
                    f"{sum(methods_by_second.values())} in the whole window")
    return rows + [unless_the_host_was_slow(worst, host, host.delay(), "crowded the work of a longer time into one second,")]


def resource_rows(rps: int, peak_rss_mb: float | None, cpu_share: float | None, failed: int | None, host: Controls = QUIET,
                  more_rss_mb: float = 0.0, rss_note: str = "", engine: str = "", bits: int | None = None) -> list[Row]:
    cpu_bar = round(100 * CPU_SHARE * CPU_TIMES.get(engine, 1), 1) if rps <= CPU_RPS else None
    cpu = at_most("CPU", None if cpu_share is None else 100 * cpu_share, "% of a core", cpu_bar)
    return [at_most("peak RSS", peak_rss_mb, "MB", engine_rss_bar_mb(engine, bits, rps, more_rss_mb), rss_note),
            unless_the_host_was_slow(cpu, host, host.slowing(), "was slower"),
            at_most("failed requests", failed, "", 0)]


def fault_rows(fault: str | None) -> list[Row]:
    """A row only where the sidecar was not up to the load at all, which fails it in any case."""
    return [Row(SIDECAR, "gave up", "", "runs", "=", FAIL, fault)] if fault else []


def is_hopeless(phase: Mapping[str, int]) -> bool:
    """Whether so many requests of a phase failed that the sidecar was not up to the load. A generator that could not keep its schedule gives
    its own requests up, and says nothing of the sidecar."""
    return phase.get("failed", 0) > HOPELESS and phase.get("late", 0) <= phase["sent"] / 2


def gross_rows(load: Mapping[str, Any], seen: str = "GETs as Gatling saw them") -> list[Row]:
    """What the generator judged, Gatling in whole milliseconds: a stall that the other clocks did not see would show."""
    return [at_most(f"{seen}, {name}", load.get(key), "ms", None) for name, key in (("p99", "p99_ms"), ("worst", "max_ms"))]


def of_the_load_asked_for(rows: Sequence[Row]) -> list[Row]:
    """The same rows; what failed where the generator missed, and not because the sidecar gave up, is inconclusive."""
    if has_given_up(rows) or not has_generator_missed(rows):
        return list(rows)
    return [replace(row, result=INCONCLUSIVE, note=f"{row.note}; under another load than the one asked for".removeprefix("; "))
            if row.result == FAIL else row for row in rows]


def has_given_up(rows: Sequence[Row]) -> bool:
    return any(row.name == SIDECAR for row in rows)


def has_generator_missed(rows: Sequence[Row]) -> bool:
    return any(row.result == INCONCLUSIVE and row.name in (CEILING, SENT) for row in rows)


def overall(rows: Sequence[Row]) -> str:
    """Fail where the sidecar gave up; inconclusive where the generator missed, in any case; else the worst of the rows.

    A figure that has a bar and is missing is no pass."""
    if has_given_up(rows):
        return FAIL
    if has_generator_missed(rows):
        return INCONCLUSIVE
    results = {INCONCLUSIVE if is_missed_out(row) else row.result for row in rows}
    return FAIL if FAIL in results else INCONCLUSIVE if INCONCLUSIVE in results else PASS


def is_missed_out(row: Row) -> bool:
    return row.result == MISSING and row.bar is not None


def reasons(rows: Sequence[Row]) -> list[str]:
    """A line for each row that is no pass, for a reader of one line only."""
    return [f"{row.name}: {shown(row.value)} {row.unit}, bar {row.relation} {shown(row.bar)}; {row.note}".rstrip("; ")
            for row in rows if row.result in (FAIL, INCONCLUSIVE) or is_missed_out(row)]


def shown(value: object) -> str:
    return "nothing" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)


def as_dicts(rows: Sequence[Row]) -> list[dict[str, Any]]:
    return [asdict(row) for row in rows]
