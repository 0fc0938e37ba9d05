"""What a chart by rate found: every run's figures as CSV, the medians as tables and pictures."""
import csv
import json
import shutil
import time

from . import kernel, plots, spread
from .spread import Figure

FIGURES = {
    "footprint": Figure("peak_rss_mb", "peak RSS, MB", 1),
    "footprint-cpu": Figure("cpu_percent", "CPU, per cent of a core", 1),
    "footprint-p99": Figure("own_p99_us", "time in the sidecar, p99, us"),
    "footprint-p999": Figure("own_p999_us", "time in the sidecar, p999, us"),
}
COLUMNS = ("arm", "rate", "round", "rate_rps", "rate_missed", "peak_rss_mb", "pss_mb", "anon_mb", "file_mb", "cpu_percent", "cpu_us",
           "own_requests", "own_p50_us", "own_p99_us", "own_p999_us", "own_max_us", "hiccup_p99_us", "hiccup_p999_us", "hiccup_over_5ms",
           "steal_share")
MARK = " *"
HEAD = "# Footprint by rate\n\nMeasured by `make footprint-chart`; loadtest/README.md tells how.\n"


class Chart:
    """rows: dicts of one run each, with arm, rate and round. failure is why it stopped, or None."""

    def __init__(self, options):
        self.options, self.rows, self.left_out, self.failure = options, [], {}, None
        self.at, self.machine = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), kernel.describe_machine()

    def add(self, row):
        self.rows.append({**row, "cpu_percent": 100 * row["cpu_share"]})

    def line(self, row):
        told = [f"RSS {row['peak_rss_mb']:.1f} MB, CPU {100 * row['cpu_share']:.1f} %"]
        told += [f"p99 {row['own_p99_us']:.0f} us, p999 {row['own_p999_us']:.0f} us"] if "own_p99_us" in row else []
        return ", ".join(told + (["the rate was missed"] if row["rate_missed"] else []))

    def names(self):
        return list(dict.fromkeys(row["arm"] for row in self.rows))

    def rates(self):
        return sorted({row["rate"] for row in self.rows})

    def spreads(self, figure):
        """{arm: {rate: Spread}} over the rounds."""
        found = {name: {rate: spread.of([row.get(figure.key) for row in self.at_rate(name, rate)]) for rate in self.rates()}
                 for name in self.names()}
        return {name: {rate: one for rate, one in of_rate.items() if one} for name, of_rate in found.items()}

    def at_rate(self, name, rate):
        return [row for row in self.rows if row["arm"] == name and row["rate"] == rate]

    def missed(self, name, rate):
        return any(row["rate_missed"] for row in self.at_rate(name, rate))

    def table(self, figure):
        """A line a rate, a column an arm; empty where nothing has the figure."""
        spreads = self.spreads(figure)
        rates = [rate for rate in self.rates() if any(rate in of_rate for of_rate in spreads.values())]

        def cell(name, rate):
            one = spreads[name].get(rate)
            return one.text(figure.places) + (MARK if self.missed(name, rate) else "") if one else ""

        lines = [[f"{rate:,}", *(cell(name, rate) for name in spreads)] for rate in rates]
        return spread.table([f"{figure.heading}; requests a second", *spreads], lines) if lines else ""

    def markdown(self):
        rounds = max(row["round"] for row in self.rows)
        machine = self.machine
        parts = [f"{self.options['connections']} connections, {self.options['body']:,} bytes; windows of {self.options['seconds']:g} s after a warm-up "
                 f"of {self.options['warmup']:g} s; median of {rounds} rounds (least .. most); {machine['cpu']}, {machine['cores']} cores, Linux {machine['kernel']}; {self.at[:10]}"]
        parts += [f"**Stopped, and not to be trusted: {self.failure}.**"] if self.failure else []
        parts += [self.table(figure) for figure in FIGURES.values()]
        parts += ["\\* The load missed this rate by more than 1 %."] if any(row["rate_missed"] for row in self.rows) else []
        parts += ["\n".join(f"- left out: {why}" for why in self.left_out.values())]
        return "\n\n".join(part for part in parts if part) + "\n"

    def write(self, directory):
        with open(directory / "footprint.csv", "w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, extrasaction="ignore")
            writer.writeheader()
            writer.writerows(self.rows)
        whole = {"at": self.at, "machine": self.machine, "options": self.options, "left_out": self.left_out, "failure": self.failure,
                 "runs": self.rows}
        (directory / "footprint.json").write_text(json.dumps(whole, indent=1))

    def finish(self, directory):
        self.write(directory)
        wanted = {}
        for name, figure in FIGURES.items():
            medians = {arm: {rate: one.median for rate, one in of_rate.items()} for arm, of_rate in self.spreads(figure).items() if of_rate}
            if medians:
                rates = [rate for rate in self.rates() if any(rate in of_rate for of_rate in medians.values())]
                wanted[name] = plots.by_rate(f"{figure.heading}, by rate", figure.heading, rates, medians)
        plots.draw(wanted, directory)
        pictures = "\n".join(f"![{FIGURES[name].heading}, by rate]({name}.svg)" for name in wanted)
        (directory / "footprint.md").write_text(f"{HEAD}\n{pictures}\n\n{self.markdown()}")

    def publish(self, directory, target):
        target.mkdir(parents=True, exist_ok=True)
        for file in sorted(directory.glob("footprint*")):
            if file.suffix in (".svg", ".png", ".md"):
                shutil.copy(file, target)
