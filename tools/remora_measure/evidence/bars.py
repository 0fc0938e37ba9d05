"""The bars that profiles have to meet, and whether what was measured meets them."""
from collections.abc import Iterator, Mapping, Sequence

from .. import spread
from ..spread import Spread
from .effects import Record
from .tables import by_arm, cell, middle, milliseconds

# Figures with a target: the arm, and the bound. Memory is judged by its highest run, times by their median.
BARS = (
    ("peak RSS, MB", "i386-client rps-1000", "rss_mb", 28),
    ("peak RSS, MB", "i386-client rps-100", "rss_mb", 26.5),
    ("peak RSS, MB", "amd64-c1 rps-1000", "rss_mb", 34),
    ("peak RSS, MB", "compact3-amd64 rps-1000", "rss_mb", 34),
    ("peak RSS, MB", "amd64-tiered rps-1000", "rss_mb", 64),
    ("peak RSS, MB, closed loop", "amd64-tiered rps-40000", "rss_mb", 72),
    ("start to first answer, s", "i386-client rps-1000", "start_s", 0.35),
    ("start to first answer, s", "compact3-amd64 rps-1000", "start_s", 0.35),
    ("p99 in the proxy, us", "i386-client rps-100", "p99_us", 1000),
    ("p999 in the proxy, us", "i386-client rps-100", "p999_us", 5000),
    ("p99 in the proxy, us", "i386-client rps-1000", "p99_us", 1000),
    ("p999 in the proxy, us", "i386-client rps-1000", "p999_us", 5000),
    ("p99 in the proxy, us", "compact3-amd64 rps-1000", "p99_us", 1000),
    ("p999 in the proxy, us", "compact3-amd64 rps-1000", "p999_us", 5000),
    ("p99 in the proxy, us", "amd64-c1 rps-10000", "p99_us", 1000),
    ("p999 in the proxy, us", "amd64-c1 rps-10000", "p999_us", 5000),
    ("p99 in the proxy, us", "amd64-tiered rps-40000 at 20000", "p99_us", 1000),
    ("p999 in the proxy, us", "amd64-tiered rps-40000 at 20000", "p999_us", 5000),
)
TIMES_ENVOY, THROUGHPUT_ARM = 2.2, "amd64-tiered rps-40000"
DIGITS = {"rss_mb": 1, "start_s": 3, "p99_us": 0, "p999_us": 0}


def judged(values: Spread, key: str) -> float:
    return values.high if key == "rss_mb" else values.median


def bar_rows(records: Sequence[Record], everything: Sequence[Record] = ()) -> Iterator[list[str]]:
    """A start is the same in every family, so that all on the same machine count."""
    arms = by_arm(records)
    for what, arm, key, bound in BARS:
        runs = arms.get(arm, [])
        if runs and key == "start_s":
            runs = [record for record in everything if all(record[key] == runs[0][key] for key in ("identity", "machine"))] or runs
        values = spread.of_key(runs, key)
        yield [arm, what, f"at most {bound:,}", cell(values, DIGITS[key]), str(len(runs)), verdict(values and judged(values, key) <= bound, runs)]
    ratios, runs = throughput_ratios(arms), arms.get(THROUGHPUT_ARM, [])
    yield [THROUGHPUT_ARM, "throughput, closed loop, times Envoy's", f"at least {TIMES_ENVOY}", cell(ratios, 2), str(len(runs)),
           verdict(ratios and ratios.median >= TIMES_ENVOY, runs)]


def verdict(met: bool | None, runs: Sequence[Record]) -> str:
    """Of a bar, by whether its figure keeps to it, None without a figure; an arm that did not start in each of its runs has missed it."""
    if any("failed" in record for record in runs):
        return "**missed**"
    return "inconclusive" if met is None else "met" if met else "**missed**"


def throughput_ratios(arms: Mapping[str, Sequence[Record]]) -> Spread | None:
    """Round by round, so that both sides of a ratio saw the same machine."""
    envoy = {record["round"]: record["rps"] for record in arms.get("envoy, closed loop", []) if "rps" in record}
    ours = [record for record in arms.get(THROUGHPUT_ARM, []) if "rps" in record]
    return spread.of([record["rps"] / envoy[record["round"]] for record in ours if record["round"] in envoy])


def load_rows(records: Sequence[Record]) -> Iterator[list[str]]:
    """The arms of the bars, all their figures."""
    for name, runs in by_arm(records).items():
        exchanges = sum(record.get("exchanges", 0) for record in runs)
        yield [name, cell(spread.of_key(runs, "rps"), 0), cell(spread.of_key(runs, "rss_mb")), middle(runs, "anon_mb"),
               middle(runs, "file_mb"), cell(spread.of_key(runs, "cpu_us")), cell(spread.of_key(runs, "p99_us"), 0),
               cell(spread.of_key(runs, "p999_us"), 0), f"{exchanges:,}" if exchanges else "", milliseconds(runs)]
