"""What a comparison found: every round's figures, their medians and ranges, ratios, tables and charts."""
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .. import spread
from ..arms import VARIANTS, WITH_FEATURES, WITH_MESH
from ..charts import drawing, spread_charts
from ..markdown import aligned_table, spread_table
from ..spread import Figure, Spread
from .found import InRounds, at

Row = dict[str, Any]

DIRECT = "direct"
MEMORY_AND_CPU = (
    Figure("private_mb", "private, MB", 1), Figure("working_set_mb", "working set, MB", 1), Figure("marginal_mb", "marginal cost, MB", 1),
    Figure("kept_mb", "of it not released", 1), Figure("peak_rss_mb", "peak RSS, MB", 1), Figure("pss_mb", "PSS, MB", 1), Figure("cpu_us", "CPU per request, us"),
    Figure("closed_rps", "closed loop, rps"), Figure("closed_cpu_us", "its CPU per request, us"),
    Figure("closed_rss_mb", "its peak RSS, MB", 1),
)
LATENCIES = (
    Figure("added_p50_us", "added p50, us"), Figure("added_p99_us", "added p99, us"), Figure("added_p999_us", "added p999, us"),
    Figure("wire_p50_us", "wire p50, us"), Figure("wire_p99_us", "wire p99, us"), Figure("wire_p999_us", "wire p999, us"), Figure("start_s", "start, s", 2),
)
HOST = (
    Figure("rate_rps", "rate", 1), Figure("client_p50_us", "client p50, us"), Figure("client_p99_us", "client p99, us"),
    Figure("client_p999_us", "client p999, us"), Figure("hiccup_p99_us", "hiccup p99, us"), Figure("hiccup_p999_us", "hiccup p999, us"),
    Figure("hiccup_over_5ms", "hiccups over 5 ms"), Figure("steal_share", "stolen CPU share", 3),
)
CHARTED = ("private_mb", "working_set_mb", "marginal_mb", "peak_rss_mb", "cpu_us", "closed_rps", "wire_p50_us", "wire_p99_us")
RATIOS = (*(figure for figure in MEMORY_AND_CPU if figure.key != "kept_mb"), *(figure for figure in LATENCIES if figure.key.startswith("wire")))
# Memory that an image with a feature takes in addition to the same image without it.
ABOVE_PLAIN = (Figure("rss_above_mb", "peak RSS, MB", 2), Figure("closed_rss_above_mb", "in the closed loop, MB", 2),
               Figure("cpu_above_percent", "CPU per request, %", 1), Figure("closed_cpu_above_percent", "in the closed loop, %", 1))
WIRE_BARS = {Figure("wire_p99_us", "time on the wire p99, us"): 1000, Figure("wire_p999_us", "time on the wire p999, us"): 5000}
# added_cpu has those of CPU time.
BARS = {WITH_MESH: {ABOVE_PLAIN[0]: 2.5}, WITH_FEATURES: {ABOVE_PLAIN[0]: 1.5, **WIRE_BARS}}
REFERENCES = ("envoy", "haproxy")


class Comparison(InRounds):
    """A comparison of images with peers, by the names of the arms."""

    def completed(self) -> dict[str, list[Row | None]]:
        """The rows with what each run added to the way straight to the backend in its round."""
        return {name: [above_plain(with_added(row, self.at_round(DIRECT, number)), self.at_round(name.removesuffix(variant), number))
                       if (variant := variant_of(name)) else with_added(row, self.at_round(DIRECT, number)) for number, row in enumerate(rows)]
                for name, rows in self.rows.items()}

    def spreads(self, figures: Sequence[Figure]) -> dict[str, dict[str, Spread]]:
        return {name: spread.by_figure([row for row in rows if row], figures) for name, rows in self.completed().items()}

    def ratios(self, reference: str) -> dict[str, dict[str, Spread]]:
        """Of every arm to one, round by round. Empty where that one did not run."""
        rows = self.completed()
        return {name: spread.ratios(rows[name], rows[reference], RATIOS) for name in rows if name not in (DIRECT, reference)} \
            if reference in rows else {}

    def judged(self) -> list[dict[str, Any]]:
        """Each bar on each arm with something switched on, those that could not run among them; the median of the rounds decides, and without a figure a bar
        is inconclusive. A missed latency is inconclusive as well where what left_of() leaves of it meets the bar, by the median as well; and a latency under less load than was asked for
        is not met."""
        completed = self.completed()
        return [self.judgement(name, figure, most, completed) for name in (*completed, *self.left_out)
                for figure, most in BARS.get(variant_of(name) or "", {}).items()]

    @staticmethod
    def judgement(name: str, figure: Figure, most: float, completed: Mapping[str, Sequence[Row | None]]) -> dict[str, Any]:
        rows = completed.get(name, [])
        plain = completed.get(name.removesuffix(variant_of(name) or ""), [])
        measured = spread.of_key([row for row in rows if row], figure.key)
        left = spread.of(left_of(row, at(plain, number), figure.key, most) for number, row in enumerate(rows)) if figure in WIRE_BARS else measured
        if not measured or not left:
            result = "inconclusive"
        elif measured.median <= most:
            result = "inconclusive" if figure in WIRE_BARS and any(row and row["rate_missed"] for row in rows) else "met"
        else:
            result = "inconclusive" if left.median <= most else "missed"
        return {"figure": figure.heading, "arm": name, "measured": measured._asdict() if measured else None, "most": most, "places": figure.places, "result": result}

    def describe(self) -> dict[str, Any]:
        return {**super().describe(), "missed": self.missed, "bars": self.judged(), "rounds": self.completed(),
                "figures": as_dicts(self.spreads((*MEMORY_AND_CPU, *LATENCIES, *HOST, *ABOVE_PLAIN))),
                "ratios": {reference: as_dicts(self.ratios(reference)) for reference in REFERENCES}}

    def line(self, row: Row) -> str:
        """One run's figures, for a watching user."""
        told = [f"{row[figure.key]:.{figure.places}f} {figure.heading}" for figure in (*MEMORY_AND_CPU, *LATENCIES, *HOST[:4])
                if row.get(figure.key) is not None]
        return "; ".join(told)

    def markdown(self) -> str:
        """What ran, and the tables: medians, and in brackets the least and the most of the rounds."""
        asked = self.options
        parts = self.head(f"{asked['rate']:,} requests a second over {asked['connections']} connections, {asked['body']:,} bytes")
        for heading, figures in (("memory and CPU", MEMORY_AND_CPU), ("latency", LATENCIES)):
            through = {name: spreads for name, spreads in self.spreads(figures).items() if name != DIRECT}
            parts.append(spread_table(heading, through, figures))
        if any("rss_above_mb" in spreads for spreads in self.spreads(ABOVE_PLAIN).values()):
            above = {name: spreads for name, spreads in self.spreads(ABOVE_PLAIN).items() if spreads}
            parts.append(spread_table("above the same image without", above, ABOVE_PLAIN))
        if judged := self.judged():
            parts.append(aligned_table(["bar", "arm", "measured", "at most", "result"], [bar_cells(one) for one in judged]))
        for reference in REFERENCES:
            if ratios := self.ratios(reference):
                parts.append(spread_table(f"to {reference}'s", ratios, RATIOS, places=2))
        parts.append(spread_table("the host", self.spreads(HOST), HOST))
        parts.append(self.taken((name, row) for name, rows in self.rows.items() for row in rows))
        parts.append(self.ending())
        return "\n\n".join(part for part in parts if part) + "\n"

    def draw(self, directory: Path) -> None:
        """A bar chart for each figure that every reader asks for first."""
        wanted = {}
        for figure in (figure for figure in (*MEMORY_AND_CPU, *LATENCIES) if figure.key in CHARTED):
            values = {name: spreads[figure.key] for name, spreads in self.spreads((figure,)).items() if figure.key in spreads}
            if values:
                title = f"{figure.heading}, at {self.options['rate']:,} requests a second; least to most of the rounds"
                wanted[figure.key] = spread_charts.bars(title, figure, values)
        drawing.draw_if_possible(wanted, directory)


def variant_of(name: str) -> str | None:
    """What an arm has switched on; None for one that is as it comes."""
    return next((variant for variant in VARIANTS if name.endswith(variant)), None)


def bar_cells(one: Mapping[str, Any]) -> list[str]:
    result = "**missed**" if one["result"] == "missed" else one["result"]
    measured = Spread(**one["measured"]).text(one["places"]) if one["measured"] else ""
    return [one["figure"], one["arm"], measured, f"{one['most']:,g}", result]


def left_of(row: Row | None, plain: Row | None, key: str, most: float) -> float | None:
    """Of a latency, without what the host or the plain image was late by at the same percentile of the same round, where that alone is beyond the bar."""
    if not row or row.get(key) is None:
        return None
    excuses = (row.get(key.replace("wire", "hiccup")), plain.get(key) if plain else None)
    return row[key] - max((late for late in excuses if late is not None and late > most), default=0.0)


def above_plain(row: Row | None, plain: Row | None) -> Row | None:
    """The row with what it has more than the plain one of its round."""
    if not row or not plain:
        return row
    more = {f"{key.removesuffix('peak_rss_mb').removesuffix('rss_mb')}rss_above_mb": row[key] - plain[key]
            for key in ("peak_rss_mb", "closed_rss_mb") if key in row and key in plain}
    ratios = {f"{key}_above_percent": spread.ratio(row, plain, f"{key}_us") for key in ("cpu", "closed_cpu")}
    return {**row, **more, **{key: 100 * (found - 1) for key, found in ratios.items() if found}}


def with_added(row: Row | None, direct: Row | None) -> Row | None:
    """The row with the latencies that it has more than the direct way of its round."""
    if not row or not direct or row is direct:
        return row
    return {**row, **{f"added_{key}": row[f"client_{key}"] - direct[f"client_{key}"] for key in ("p50_us", "p99_us", "p999_us")}}


def as_dicts(by_name: Mapping[str, Mapping[str, Spread]]) -> dict[str, Any]:
    return {name: {key: found._asdict() for key, found in spreads.items()} for name, spreads in by_name.items()}
