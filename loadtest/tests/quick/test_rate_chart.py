"""The chart by rate: its tables, its pictures and its files."""
import tempfile
import unittest
from pathlib import Path

from remora_measure.charts import spread_charts
from remora_measure.results.rate_chart import FIGURES, MARK, RateChart
from remora_measure.spread import Spread

OPTIONS = {"connections": 16, "body": 1024, "warmup": 8.0, "seconds": 8.0}


def chart(*runs):
    """Of runs (arm, rate, round, peak RSS, p99 or None, missed)."""
    told = RateChart(OPTIONS)
    for arm, rate, number, rss_mb, p99_us, missed in runs:
        latencies = {} if p99_us is None else {"own_p99_us": p99_us, "own_p999_us": 2 * p99_us}
        told.add({"arm": arm, "rate": rate, "round": number, "peak_rss_mb": rss_mb, "cpu_share": 0.125, "rate_missed": missed, **latencies})
    return told


class Tables(unittest.TestCase):
    def setUp(self):
        self.told = chart(("before", 0, 1, 70.0, None, False), ("small", 0, 1, 30.0, None, False),
                          ("before", 1000, 1, 100.0, 900, False), ("small", 1000, 1, 33.0, 300, False),
                          ("before", 1000, 2, 104.0, 700, False), ("small", 5000, 1, 34.0, None, True))

    def test_a_line_a_rate_and_a_column_an_arm_with_medians(self):
        cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in self.told.table(FIGURES["footprint"]).splitlines()]
        self.assertEqual(["0", "70.0", "30.0"], cells[2])
        self.assertEqual(["1,000", "102.0 (100.0 .. 104.0)", "33.0"], cells[3])

    def test_a_missed_rate_is_marked_and_what_did_not_run_is_empty(self):
        last = self.told.table(FIGURES["footprint"]).splitlines()[-1]
        self.assertEqual(["5,000", "", "34.0" + MARK], [cell.strip() for cell in last.strip("|").split("|")])
        self.assertIn("missed this rate", self.told.markdown())

    def test_rates_without_latencies_are_no_lines(self):
        self.assertEqual(3, len(self.told.table(FIGURES["footprint-p99"]).splitlines()))

    def test_cpu_is_told_in_per_cent(self):
        self.assertIn("12.5", self.told.table(FIGURES["footprint-cpu"]))

    def test_private_memory_and_working_set_have_tables_of_their_own(self):
        self.told.add({"arm": "small", "rate": 1000, "round": 3, "peak_rss_mb": 33.0, "private_mb": 11.0, "working_set_mb": 12.5, "cgroup": 1, "cold": False, "cpu_share": 0.1,
                       "rate_missed": False})
        for name, value in (("footprint-private", "11.0"), ("footprint-working-set", "12.5")):
            self.assertEqual(["1,000", "", value], [cell.strip() for cell in self.told.table(FIGURES[name]).splitlines()[-1].strip("|").split("|")])
        self.assertIn("by a memory cgroup of its own, version 1", self.told.markdown())
        self.assertIn("except small, whose files", self.told.markdown())
        self.assertIn("private 11.0 MB, working set 12.5 MB, RSS 33.0 MB", self.told.line(self.told.rows[-1]))
        with tempfile.TemporaryDirectory() as directory:
            self.told.save(Path(directory))
            self.assertIn("private_mb,working_set_mb,cgroup,cold", Path(directory, "footprint.csv").read_text().splitlines()[0])

    def test_publishing_copies_pictures_only(self):
        with tempfile.TemporaryDirectory() as scratch:
            made = Path(scratch, "made")
            made.mkdir()
            for name in ("footprint.svg", "footprint.png", "footprint.md", "footprint.csv", "footprint.json", "other.svg"):
                (made / name).write_text(name)
            self.told.publish(made, Path(scratch, "docs"))
            copied = sorted(path.name for path in Path(scratch, "docs").iterdir())
            self.assertEqual(["footprint.png", "footprint.svg"], copied)


class Pictures(unittest.TestCase):
    def test_a_rate_that_did_not_run_is_a_gap(self):
        told = spread_charts.by_rate("title", "MB", [0, 1000], {"a": {0: 1.0, 1000: 2.0}, "b": {0: 3.0}})
        self.assertEqual(["0", "1,000"], told["x"]["labels"])
        self.assertEqual([[1.0, 2.0], [3.0, None]], [one["y"] for one in told["series"]])

    def test_bars_have_their_spread(self):
        told = spread_charts.bars("title", FIGURES["footprint"], {"a": Spread(2.04, 1, 3), "b": Spread(5, 4, 6)})
        self.assertEqual(([2, 5], [1, 4], [3, 6]), tuple(told["series"][0][key] for key in ("y", "low", "high")))
        self.assertEqual(["a", "b"], told["x"]["labels"])

if __name__ == "__main__":
    unittest.main()
