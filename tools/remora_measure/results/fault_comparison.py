"""What a comparison of faults found: every run's figures, a table for each fault, the bars, and where a peer did better."""
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from .. import spread
from ..markdown import aligned_table
from ..spread import Figure, Spread
from .found import Found

Row = dict[str, Any]

PEERS = ("envoy", "haproxy")
FIGURES = (
    Figure("failed", "failed"), Figure("sick_percent", "to the sick one, %", 2), Figure("settle_s", "below 5 % after, s", 1),
    Figure("p50_ms", "p50, ms", 1), Figure("p99_ms", "p99, ms", 1), Figure("p999_ms", "p999, ms", 1),
    Figure("attempts_per_request", "attempts a request", 3), Figure("connects_per_request", "connections in vain a request", 3),
    Figure("back_s", "used again after, s", 1),
)
HOST = (Figure("before_p99_ms", "p99 before, ms", 1), Figure("hiccup_p99_us", "hiccup p99, us"), Figure("hiccup_p999_us", "hiccup p999, us"),
        Figure("steal_share", "stolen CPU share", 3), Figure("in_flight", "in flight as it began"), Figure("connections", "client connections"))
NEVER = "never"


class Judged(NamedTuple):
    """A figure of which less is better. Two systems differ in it where they do by more than the share and the amount."""

    key: str
    name: str
    places: int
    share: float
    amount: float


COMPARED = (
    Judged("failed", "failed", 0, 0, 0), Judged("sick_percent", "share, %", 2, 0.1, 0.1), Judged("settle_s", "below 5 %, s", 1, 0.1, 0.15),
    Judged("p99_ms", "p99, ms", 1, 0.1, 1), Judged("p999_ms", "p999, ms", 1, 0.1, 5),
    Judged("attempts_per_request", "attempts a request", 2, 0.02, 0.01),
    Judged("connects_per_request", "connections in vain a request", 2, 0.1, 0.05), Judged("back_s", "used again, s", 1, 0.1, 0.25),
)
SETTLE_MOST_S = 3.0
ALL_FAIL_BARS = (("attempts", "attempts at endpoints, 1.2 a request and 10 a second"),
                 ("tries", "attempts and connections in vain, 2.2 a request and 10 a second"))
# A p99 before the fault from which on the machine has too much other work for a verdict.
BUSY_MS = 100.0
# Figures in which a run that found none did worst: the share did not fall, or the endpoint was not used again.
WORST_WITHOUT = ("settle_s", "back_s")


class FaultComparison(Found):
    """rows: {fault: {arm: [figures of round 1, ...]}}. titles: {fault: title}; all_fail has the faults in which all endpoints fail."""

    def __init__(self, options: Mapping[str, Any], versions: Mapping[str, str | None], titles: Mapping[str, str], all_fail: Iterable[str]) -> None:
        super().__init__(options, versions)
        self.titles, self.all_fail = titles, set(all_fail)
        self.rows: dict[str, dict[str, list[Row]]] = {}

    def add(self, fault: str, arm: str, row: Row) -> None:
        self.rows.setdefault(fault, {}).setdefault(arm, []).append(row)

    def spreads(self, fault: str, arm: str) -> dict[str, Spread]:
        return spread.by_figure(self.rows[fault][arm], (*FIGURES, *HOST))

    def bars(self) -> list[dict[str, Any]]:
        """Of the sidecar's arms; the worst round decides, and a busy machine excuses the rounds in which it was busy."""
        return [bar for fault, by_arm in self.rows.items() for arm, rows in by_arm.items() if arm not in PEERS
                for bar in self.bars_of(fault, arm, rows)]

    def bars_of(self, fault: str, arm: str, rows: Sequence[Row]) -> list[dict[str, Any]]:
        def bar(name: str, key: str, most_of: Callable[[Row], float], hard: bool) -> dict[str, Any]:
            missed = [row for row in rows if row[key] is None or row[key] > most_of(row)]
            worst = max(rows, key=lambda row: float("inf") if row[key] is None else row[key] - most_of(row))
            excused = all(row["before_p99_ms"] > BUSY_MS for row in missed)
            return {"fault": fault, "arm": arm, "bar": name, "measured": worst[key], "most": most_of(worst), "hard": hard,
                    "result": "met" if not missed else "inconclusive" if excused else "missed"}

        if fault in self.all_fail:
            return [bar(name, key, lambda row, key=key: row[f"{key}_most"], True) for key, name in ALL_FAIL_BARS]  # type: ignore[misc]
        found = [bar("failed requests", "failed", lambda _: 0, True)]
        return [*found, bar("share below 5 % after, s", "settle_s", lambda _: SETTLE_MOST_S, False)] if fault == "slow" else found

    def behind(self, fault: str, arm: str) -> list[str]:
        """Each figure in which a peer did better than an arm of the sidecar's, by the medians."""
        if arm in PEERS:
            return []
        found = []
        for one in COMPARED:
            ours, better = self.median(fault, arm, one.key), []
            for peer in PEERS:
                theirs = self.median(fault, peer, one.key) if peer in self.rows[fault] else None
                if ours is not None and theirs is not None and ours - theirs > max(one.amount, one.share * theirs):
                    better.append(f"{peer} {number(theirs, one.places)}")
            if ours is not None and better:
                found.append(f"{one.name}: {', '.join([number(ours, one.places), *better])}")
        return found

    def median(self, fault: str, arm: str, key: str) -> float | None:
        """None for a figure that the fault does not have."""
        values = [row[key] for row in self.rows[fault][arm] if key in row]
        if not values:
            return None
        if any(value is None for value in values):
            return float("inf") if key in WORST_WITHOUT else None
        found = spread.of(values)
        return found.median if found else None

    def describe(self) -> dict[str, Any]:
        return {**super().describe(), "titles": {key: self.titles[key] for key in self.rows}, "bars": self.bars(),
                "behind": {fault: {arm: self.behind(fault, arm) for arm in by_arm if arm not in PEERS} for fault, by_arm in self.rows.items()},
                "runs": self.rows, "table": [[self.titles[fault], *line] for fault in self.rows for line in self.lines(fault)],
                "headings": self.headings()}

    def line(self, row: Row) -> str:
        """One run's figures, for a watching user."""
        return "; ".join(f"{value_text(row[figure.key], figure)} {figure.heading}" for figure in FIGURES if figure.key in row) + kinds(row)

    def headings(self) -> list[str]:
        return ["fault", "system", *(figure.heading for figure in FIGURES), "a peer did better in"]

    def lines(self, fault: str) -> list[list[str]]:
        """A line of cells for each arm."""
        found = []
        for arm, rows in self.rows[fault].items():
            cells = [self.cell(rows, figure) for figure in FIGURES]
            behind = "; ".join(self.behind(fault, arm)) or ("" if arm in PEERS else "nothing")
            found.append([arm, *cells, behind])
        return found

    def cell(self, rows: Sequence[Row], figure: Figure) -> str:
        if not any(figure.key in row for row in rows):
            return "-"
        if figure.key in WORST_WITHOUT and any(row[figure.key] is None for row in rows):
            return NEVER
        found = spread.of_key(rows, figure.key)
        return (found.text(figure.places) if found else "-") + (kinds(*rows) if figure.key == "failed" else "")

    def markdown(self) -> str:
        """What ran, a table of all faults, the bars, and the share by second."""
        asked = self.options
        parts = [f"{asked['rate']:,} requests a second over {asked['connections']} connections and more where none is free; three endpoints; a fault of "
                 f"{asked['fault_seconds']:g} s; {self.where()}", self.stopped()]
        parts.append(aligned_table(self.headings(), [[self.titles[fault], *line] for fault in self.rows for line in self.lines(fault)]))
        if bars := self.bars():
            cells = [[self.titles[bar["fault"]], bar["arm"], bar["bar"], NEVER if bar["measured"] is None else f"{bar['measured']:,.1f}",
                      f"{bar['most']:,.1f}", "**missed**" if bar["result"] == "missed" else bar["result"]] for bar in bars]
            parts.append(aligned_table(["fault", "system", "bar", "measured", "at most", "result"], cells))
        parts.append(self.by_second())
        parts.append(self.host())
        parts.append(self.ending())
        return "\n\n".join(part for part in parts if part) + "\n"

    def by_second(self) -> str:
        """The share in each second of the fault; of several rounds, of the first."""
        rows = [[self.titles[fault], arm, " ".join("-" if share is None else f"{share:.0f}" for share in found[0]["sick_percent_by_second"])]
                for fault, by_arm in self.rows.items() for arm, found in by_arm.items() if "sick_percent_by_second" in found[0]]
        return aligned_table(["fault", "system", "% to the sick one, second by second"], rows) if rows else ""

    def host(self) -> str:
        rows = [[self.titles[fault], arm, *(self.cell(found, figure) for figure in HOST)]
                for fault, by_arm in self.rows.items() for arm, found in by_arm.items()]
        return aligned_table(["the host", "system", *(figure.heading for figure in HOST)], rows) if rows else ""


def kinds(*rows: Row) -> str:
    """What failed requests ended with, behind their number."""
    names = sorted({name for row in rows for name in row["failures"]})
    return f" ({', '.join(names)})" if names else ""


def value_text(value: float | None, figure: Figure) -> str:
    return NEVER if value is None else f"{value:.{figure.places}f}"


def number(value: float, places: int) -> str:
    return NEVER if value == float("inf") else f"{value:,.{places}f}"
