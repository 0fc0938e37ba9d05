"""Results of a trial of JVM options: the figures of both arms, which of them differ beyond the spread, and the methods whose share changed."""
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from .. import spread
from ..markdown import aligned_table, spread_table
from ..spread import Figure, Spread
from ..systems.traffic import rate_text
from .found import InRounds

BASE, OTHER = "A", "B"
BETTER, WORSE, SAME = "better", "worse", "no difference"
# Judged, all of them better when lower.
FIGURES = (
    Figure("peak_rss_mb", "peak RSS, MB", 1), Figure("cpu_us", "CPU per request, us", 1), Figure("start_s", "start, s", 2),
    *(Figure(f"{kind}_{key}_us", f"{heading} {key}, us") for kind, heading in (("http1", "HTTP/1.1"), ("h2", "HTTP/2")) for key in ("p99", "p999")),
)
# Reported, so that a reader sees under which load the others were measured.
HOST = (Figure("rate_rps", "rate", 1), Figure("hiccup_p99_us", "hiccup p99, us"), Figure("hiccup_p999_us", "hiccup p999, us"),
        Figure("steal_share", "stolen CPU share", 3))
# Requests beyond a percentile without which it is not reported.
BEYOND = 10
SHARES = {"p99_us": 0.01, "p999_us": 0.001}
# Least change of a method's share that is listed, and the most methods.
LEAST_SHARE, MOST_METHODS = 0.003, 20


def short(figure: Figure) -> str:
    """The heading without its unit."""
    return figure.heading.partition(",")[0]


class Change(NamedTuple):
    """A figure of both arms, and whether it differs."""

    figure: Figure
    base: Spread
    other: Spread
    result: str

    def text(self) -> str:
        change = self.other.median - self.base.median
        share = f" ({100 * change / self.base.median:+.0f} %)" if self.base.median else ""
        return f"{short(self.figure)} {self.base.median:,.{self.figure.places}f} -> {self.other.median:,.{self.figure.places}f}{share}"


def change(figure: Figure, base: Sequence[spread.Row], other: Sequence[spread.Row]) -> Change | None:
    """A figure differs if each run of one arm is beyond each run of the other, and the medians are further apart than the runs of A among themselves.

    None where an arm has fewer than two such figures."""
    old, new = (spread.of_key(rows, figure.key) if sum(row.get(figure.key) is not None for row in rows) > 1 else None for rows in (base, other))
    if not old or not new:
        return None
    moved = new.median - old.median
    differs = new.apart(old) and abs(moved) > old.high - old.low
    return Change(figure, old, new, SAME if not differs else WORSE if moved > 0 else BETTER)


def enough(answer: Mapping[str, float], protocol: str) -> dict[str, float]:
    """A client's number of requests over a protocol, and those percentiles that have enough requests beyond them, as figures of a row."""
    there = [key for key, share in SHARES.items() if answer["requests"] * share >= BEYOND]
    return {f"{protocol}_{key}": answer[key] for key in ("requests", *there)}


def shares(stacks: str) -> dict[str, float]:
    """The share of the samples of each method at the top of its stack, from lines of collapsed stacks: frames by semicolons, and a count."""
    counts: dict[str, float] = {}
    for line in stacks.splitlines():
        frames, _, count = line.rpartition(" ")
        if frames and count.isdigit():
            method = frames.rpartition(";")[2]
            counts[method] = counts.get(method, 0) + int(count)
    total = sum(counts.values())
    return {method: count / total for method, count in counts.items()} if total else {}


def changed_methods(base: Sequence[Mapping[str, float]], other: Sequence[Mapping[str, float]]) -> list[tuple[str, Spread, Spread]]:
    """The methods whose shares of two arms are beyond the spread, largest change first; a run without a method has a share of 0."""
    found = []
    for method in dict.fromkeys(name for run in (*base, *other) for name in run):
        old, new = spread.of(run.get(method, 0.0) for run in base), spread.of(run.get(method, 0.0) for run in other)
        if old and new and new.apart(old) and abs(new.median - old.median) > max(LEAST_SHARE, old.high - old.low):
            found.append((method, old, new))
    return sorted(found, key=lambda one: -abs(one[2].median - one[1].median))[:MOST_METHODS]


class FlagTrial(InRounds):
    """Arms A and B in turn. what says how B differs, and shape what the load was made of."""

    def __init__(self, options: Mapping[str, Any], what: str, shape: Mapping[str, Any], shape_text: str) -> None:
        super().__init__(options, {})
        self.what, self.shape, self.shape_text = what, shape, shape_text
        self.stacks: dict[str, list[dict[str, float]]] = {BASE: [], OTHER: []}

    def runs(self, arm: str) -> list[dict[str, Any]]:
        return [row for row in self.rows.get(arm, []) if row]

    def changes(self) -> list[Change]:
        return [found for figure in FIGURES if (found := change(figure, self.runs(BASE), self.runs(OTHER)))]

    def by_chance(self) -> int:
        """Returns N where chance alone would separate the arms in one of N figures."""
        base, other = len(self.runs(BASE)), len(self.runs(OTHER))
        return math.comb(base + other, base) // 2

    def verdict(self) -> str:
        """A sentence for each result."""
        if self.failure or self.failed_arms or not self.changes():
            return "No verdict: the trial did not come to its end."
        if any(row["rate_missed"] for row in self.runs(BASE)):
            return "No verdict: A missed the rate, so that the load was another than the one asked for. Choose a lower --rate."
        slow = sum(row["rate_missed"] for row in self.runs(OTHER))
        told = [f"B missed the rate in {slow} of {len(self.runs(OTHER))} runs."] if slow else []
        told += [f"B is {result}: {', '.join(texts)}." for result in (WORSE, BETTER)
                if (texts := [one.text() for one in self.changes() if one.result == result])]
        same = [short(one.figure) for one in self.changes() if one.result == SAME]
        if same:
            told.append(f"No difference beyond the spread: {', '.join(same)}.")
        reasons: dict[str, list[str]] = {}
        for figure, reason in self.not_judged():
            reasons.setdefault(reason, []).append(short(figure))
        if reasons:
            told.append("Not judged: " + "; ".join(f"{', '.join(names)} ({reason})" for reason, names in reasons.items()) + ".")
        return " ".join(told)

    def not_judged(self) -> list[tuple[Figure, str]]:
        """The figures that have no result, each with the reason."""
        judged = {one.figure for one in self.changes()}
        return [(figure, self.why_not(figure)) for figure in FIGURES if figure not in judged]

    def why_not(self, figure: Figure) -> str:
        rows = [*self.runs(BASE), *self.runs(OTHER)]
        protocol, _, key = figure.key.partition("_")
        if key in SHARES:
            requests = [row[f"{protocol}_requests"] for row in rows if f"{protocol}_requests" in row]
            if not requests:
                return "no such requests in the load"
            if min(requests) * SHARES[key] < BEYOND:
                return f"{min(requests):,.0f} requests in a run, {BEYOND / SHARES[key]:,.0f} are needed"
        return "measured in fewer than two runs of an arm" if any(row.get(figure.key) is not None for row in rows) else "not measured"

    def describe(self) -> dict[str, Any]:
        return {**super().describe(), "what": self.what, "shape": self.shape, "missed": self.missed, "verdict": self.verdict(), "rounds": self.rows,
                "changes": {one.figure.key: {"a": one.base._asdict(), "b": one.other._asdict(), "result": one.result} for one in self.changes()},
                "not_judged": {figure.key: reason for figure, reason in self.not_judged()},
                "methods": [{"method": method, "a": old._asdict(), "b": new._asdict()} for method, old, new in self.methods()]}

    def methods(self) -> list[tuple[str, Spread, Spread]]:
        return changed_methods(self.stacks[BASE], self.stacks[OTHER])

    def line(self, row: Mapping[str, Any]) -> str:
        """One run's figures, for a watching user."""
        return "; ".join(f"{row[figure.key]:.{figure.places}f} {figure.heading}" for figure in (*FIGURES, *HOST[:1]) if row.get(figure.key) is not None)

    def markdown(self) -> str:
        parts = [f"B is A with {self.what}.", self.verdict(), *self.head(f"{rate_text(self.options['rate'])} requests a second"), self.shape_text]
        if changes := self.changes():
            rows = [[one.figure.heading, *(value.text(one.figure.places) for value in (one.base, one.other)), one.result] for one in changes]
            parts.append(aligned_table(["figure", BASE, OTHER, "B is"], rows))
            parts.append(f"A figure differs if each run of one arm is beyond each run of the other, and the medians differ by more than the runs of A. "
                         f"With these runs, chance alone separates one figure in {self.by_chance():,}.")
        if methods := self.methods():
            parts.append(aligned_table(["method", "share in A", "share in B"], [[f"`{name}`", percent(old), percent(new)] for name, old, new in methods]))
        elif self.stacks[BASE]:
            parts.append("No method's share of the samples differs beyond the spread.")
        parts.append(spread_table("the host", {arm: spread.by_figure(self.runs(arm), HOST) for arm in self.rows}, HOST))
        return "\n\n".join(part for part in parts if part) + "\n"

    def keep_stacks(self, arm: str, texts: Iterable[str]) -> None:
        self.stacks[arm] += [found for text in texts if (found := shares(text))]


def percent(share: Spread) -> str:
    return Spread(*(100 * value for value in share)).text(1) + " %"
