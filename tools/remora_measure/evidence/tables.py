"""Rows and cells of EVIDENCE.md."""
from collections.abc import Iterator, Mapping, Sequence

from .. import spread
from ..markdown import compact_table
from ..spread import Spread
from .effects import Record, Verdict, judge, read_choice

ENOUGH_RUNS = 5


def number(value: float, digits: int) -> str:
    return f"{value:,.{digits}f}"


def cell(values: Spread | None, digits: int = 1) -> str:
    """Median, least and most."""
    return values.text_with_range(digits) if values else ""


def of(records: Sequence[Record], key: str, digits: int = 1) -> str:
    return cell(spread.of_key(records, key), digits)


def change(records: Sequence[Record], against: Sequence[Record], key: str, digits: int = 1) -> str:
    """What the median changed by."""
    new, old = spread.of_key(records, key), spread.of_key(against, key)
    return f"{new.median - old.median:+.{digits}f}".replace("-", "−") if new and old else ""


def by_arm(records: Sequence[Record]) -> dict[str, list[Record]]:
    """The runs of each arm, in the order in which arms were first run."""
    arms: dict[str, list[Record]] = {}
    for record in records:
        arms.setdefault(record["arm"], []).append(record)
    return arms


def middle(records: Sequence[Record], key: str, digits: int = 1) -> str:
    values = spread.of_key(records, key)
    return number(values.median, digits) if values else ""


def figures(records: Sequence[Record]) -> list[str]:
    return [of(records, "rss_mb"), middle(records, "anon_mb"), middle(records, "file_mb"), of(records, "cpu_us"), of(records, "p99_us", 0),
            of(records, "p999_us", 0)]


def flag_verdicts(records: Sequence[Record], bounds: Mapping[str, str]) -> dict[str, tuple[list[Record], Verdict]]:
    """By flag: what is left out with it, and the verdict."""
    arms = by_arm(records)
    found = {}
    for runs in arms.values():
        first = runs[0]
        whole = arms.get(first["against"])
        if first["topic"] or not first["rows"] or not whole:
            continue
        bounded = next((bounds[name] for name in first["rows"] if name in bounds), None)
        for name in first["rows"]:
            found[name] = (runs, few(judge(whole, runs, bounded), min(len(whole), len(runs))))
    return found


def few(verdict: Verdict, runs: int) -> Verdict:
    """A spread of fewer runs than five says little, and the verdict says so."""
    return verdict if runs >= ENOUGH_RUNS else verdict._replace(reason=f"{verdict.reason} [{runs} runs only]")


def flag_table(records: Sequence[Record], bounds: Mapping[str, str]) -> str:
    arms = by_arm(records)
    header = ["left out", "peak RSS, MB", "saved by it", "anonymous", "file", "CPU, us", "p99, us", "p999, us", "verdict"]
    rows = []
    for name, runs in arms.items():
        if not runs[0]["against"]:
            rss, *rest = figures(runs)
            rows.append([f"nothing: {name}", rss, "", *rest, f"runs: {len(runs)}"])
    for name, (runs, verdict) in flag_verdicts(records, bounds).items():
        whole = arms[runs[0]["against"]]
        if runs[0]["rows"][0] != name:
            rows.append([f"`{name}`", f"with `{runs[0]['rows'][0]}`", "", "", "", "", "", "", str(verdict)])
            continue
        rss, *rest = figures(runs)
        rows.append([f"`{name}`: `{runs[0]['what']}`", rss, change(runs, whole, "rss_mb", 2), *rest, str(verdict)])
    return compact_table(header, rows)


def choice_table(records: Sequence[Record], topic: str) -> str:
    """Other choices than the profiles', each next to the profile that it was compared with."""
    arms = by_arm(records)
    header = ["instead", "peak RSS, MB", "change", "anonymous", "file", "CPU, us", "p99, us", "p999, us", "start, ms", "reading"]
    rows = []
    shown: set[str] = set()
    for name, runs in arms.items():
        whole = arms.get(runs[0]["against"])
        if runs[0]["topic"] != topic or not whole:
            continue
        if runs[0]["against"] not in shown:
            shown.add(runs[0]["against"])
            rss, *rest = figures(whole)
            rows.append([f"**{runs[0]['against']}**", rss, "", *rest, milliseconds(whole), f"runs: {len(whole)}"])
        row_names = "".join(f"`{row}`: " for row in runs[0]["rows"])
        rss, *rest = figures(runs)
        rows.append([f"{row_names}{name}: {runs[0]['what']}", rss, change(runs, whole, "rss_mb", 1), *rest, milliseconds(runs),
                     read_choice(runs, whole) + archive_note(runs)])
    return compact_table(header, rows)


def archive_note(runs: Sequence[Record]) -> str:
    told = [record["archive"] for record in runs if "archive" in record]
    return " (no archive mapped)" if told and not any(told) else ""


def milliseconds(records: Sequence[Record]) -> str:
    return cell(spread.of([record["start_s"] * 1e3 for record in records if "start_s" in record]), 0)


def code_cache_rows(records: Sequence[Record]) -> Iterator[list[str]]:
    """By profile and image as they are: the most that each segment held in any run."""
    most: dict[tuple[str, str], tuple[int, int, int]] = {}
    full: dict[tuple[str, str], int] = {}
    for record in records:
        if record["against"] or not record.get("code_cache_kib"):
            continue
        for segment, (size, used) in record["code_cache_kib"].items():
            key = (record["arm"], segment)
            old = most.get(key, (0, 0, 0))
            most[key] = (size, max(used, old[1]), old[2] + 1)
            full[key] = full.get(key, 0) + record.get("full_count", 0) + record.get("stopped_count", 0)
    for (arm, segment), (size, used, count) in sorted(most.items()):
        share = used / size
        met = "met" if share <= 0.7 and not full[(arm, segment)] else "missed"
        yield [arm, segment, number(size, 0), number(used, 0), f"{share:.0%}", str(full[(arm, segment)]), str(count), met]


def quiet(records: Sequence[Record]) -> Iterator[list[str]]:
    """How quiet the host was, family by family."""
    for name in dict.fromkeys(record["family"] for record in records):
        runs = [record for record in records if record["family"] == name and "failed" not in record]
        failed = sum(record.get("requests_failed", 0) for record in runs)
        steal = spread.of([record["steal_share"] * 100 for record in runs])
        yield [name, str(len(runs)), min(record["at"] for record in runs), of(runs, "hiccup_max_ms"), of(runs, "hiccups_over_5ms", 0),
               cell(steal), of(runs, "load1"), str(failed)]
