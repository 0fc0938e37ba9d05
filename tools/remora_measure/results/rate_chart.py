"""What a chart by rate shows: every run's figures as CSV, the medians as tables and pictures."""
import csv
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .. import spread
from ..charts import drawing, spread_charts
from ..markdown import aligned_table
from ..spread import Figure, Spread
from .found import Found

Row = dict[str, Any]

FIGURES = {
    "footprint": Figure("peak_rss_mb", "peak RSS, MB", 1),
    "footprint-private": Figure("private_mb", "private memory, MB", 1),
    "footprint-working-set": Figure("working_set_mb", "working set, MB", 1),
    "footprint-cpu": Figure("cpu_percent", "CPU, per cent of a core", 1),
    "footprint-p99": Figure("own_p99_us", "time in the sidecar, p99, us"),
    "footprint-p999": Figure("own_p999_us", "time in the sidecar, p999, us"),
}
# Figures of Linkerd's makers in 2016, in MB by rate: the memory that they recommended before, and what they had after.
ORIGIN = {"origin, before": {1_000: 500}, "origin, after": {100: 105, 1_000: 115, 40_000: 300}}
COLUMNS = ("arm", "rate", "round", "rate_rps", "rate_missed", "peak_rss_mb", "private_mb", "working_set_mb", "cgroup", "cold", "pss_mb", "anon_mb", "file_mb", "cpu_percent", "cpu_us",
           "own_requests", "own_p50_us", "own_p99_us", "own_p999_us", "own_max_us", "hiccup_p99_us", "hiccup_p999_us", "hiccup_over_5ms",
           "steal_share")
MARK = " *"
HEAD = "# Footprint by rate\n\nMeasured by `make footprint-chart`; loadtest/README.md tells how.\n"


class RateChart(Found):
    """rows: dicts of one run each, with arm, rate and round."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        super().__init__(options, {})
        self.rows: list[Row] = []

    def add(self, row: Row) -> None:
        self.rows.append({**row, "cpu_percent": 100 * row["cpu_share"]})

    def line(self, row: Row) -> str:
        """One run's figures, for a watching user."""
        told = [f"{name} {row[key]:.1f} MB" for key, name in (("private_mb", "private"), ("working_set_mb", "working set")) if row.get(key) is not None]
        told += [f"RSS {row['peak_rss_mb']:.1f} MB, CPU {100 * row['cpu_share']:.1f} %"]
        told += [f"p99 {row['own_p99_us']:.0f} us, p999 {row['own_p999_us']:.0f} us"] if "own_p99_us" in row else []
        return ", ".join(told + (["the rate was missed"] if row["rate_missed"] else []))

    def names(self) -> list[str]:
        return list(dict.fromkeys(row["arm"] for row in self.rows))

    def rates(self) -> list[int]:
        return sorted({row["rate"] for row in self.rows})

    def spreads(self, figure: Figure) -> dict[str, dict[int, Spread]]:
        """{arm: {rate: Spread}} over the rounds."""
        found = {name: {rate: spread.of_key(self.at_rate(name, rate), figure.key) for rate in self.rates()}
                 for name in self.names()}
        return {name: {rate: one for rate, one in of_rate.items() if one} for name, of_rate in found.items()}

    def at_rate(self, name: str, rate: int) -> list[Row]:
        return [row for row in self.rows if row["arm"] == name and row["rate"] == rate]

    def missed(self, name: str, rate: int) -> bool:
        return any(row["rate_missed"] for row in self.at_rate(name, rate))

    def table(self, figure: Figure) -> str:
        """A line a rate, a column an arm; empty where nothing has the figure."""
        spreads = self.spreads(figure)
        rates = [rate for rate in self.rates() if any(rate in of_rate for of_rate in spreads.values())]

        def cell(name: str, rate: int) -> str:
            one = spreads[name].get(rate)
            return one.text(figure.places) + (MARK if self.missed(name, rate) else "") if one else ""

        lines = [[f"{rate:,}", *(cell(name, rate) for name in spreads)] for rate in rates]
        return aligned_table([f"{figure.heading}; requests a second", *spreads], lines) if lines else ""

    def markdown(self) -> str:
        rounds = max(row["round"] for row in self.rows)
        options = self.options
        parts = [f"{options['connections']} connections, {options['body']:,} bytes; windows of {options['seconds']:g} s after a warm-up "
                 f"of {options['warmup']:g} s; median of {rounds} rounds (least .. most); {self.where()}", self.stopped()]
        parts += [self.table(figure) for figure in FIGURES.values()]
        parts.append(self.taken((row["arm"], row) for row in self.rows))
        parts += ["\\* The load missed this rate by more than 1 %."] if any(row["rate_missed"] for row in self.rows) else []
        parts.append(self.ending())
        return "\n\n".join(part for part in parts if part) + "\n"

    def describe(self) -> dict[str, Any]:
        return {**super().describe(), "runs": self.rows}

    def save(self, directory: Path) -> None:
        with open(directory / "footprint.csv", "w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, extrasaction="ignore")
            writer.writeheader()
            writer.writerows(self.rows)
        self.write([directory / "footprint.json"])

    def finish(self, directory: Path) -> None:
        """Writes the figures, the tables and the pictures."""
        self.save(directory)
        wanted = {}
        for name, figure in FIGURES.items():
            medians = {arm: {rate: one.median for rate, one in of_rate.items()} for arm, of_rate in self.spreads(figure).items() if of_rate}
            if medians:
                if figure.key == "peak_rss_mb":
                    medians.update(ORIGIN)
                rates = sorted({rate for of_rate in medians.values() for rate in of_rate})
                wanted[name] = spread_charts.by_rate(f"{figure.heading}, by rate", figure.heading, rates, medians)
        drawing.draw_if_possible(wanted, directory)
        pictures = "\n".join(f"![{FIGURES[name].heading}, by rate]({name}.svg)" for name in wanted)
        (directory / "footprint.md").write_text(f"{HEAD}\n{pictures}\n\n{self.markdown()}")

    def publish(self, directory: Path, target: Path) -> None:
        """Copies the pictures. The page's tables come from docs/figures, which takes the figures by `./measure figures take footprint`."""
        target.mkdir(parents=True, exist_ok=True)
        for file in sorted(directory.glob("footprint*")):
            if file.suffix in (".svg", ".png"):
                shutil.copy(file, target)
