"""Short runs of the chart by rate in front of a real backend."""
import csv
import io
import tempfile
import unittest
from pathlib import Path

from remora_measure.machine import cgroups
from remora_measure.results.rate_chart import MARK

from ..program_runs import Program

WORKING_SET = () if cgroups.denied() else ("-working-set",)
SMALL = ("--backend", "bundled", "--rounds", 1, "--warmup", 0.3, "--seconds", 1)


class Runs(unittest.TestCase):
    def rows(self, run):
        return list(csv.DictReader(io.StringIO(run.text("footprint.csv"))))

    def test_at_rest_and_at_a_rate_on_the_machines_own_jdk(self):
        with tempfile.TemporaryDirectory() as docs:
            run = Program("chart", *SMALL, "--only", "before,host", "--rates", "0,50", "--publish", docs)
            self.assertEqual((0, []), (run.status, run.left_behind), run.output)
            # its tables come from the published figures
            pictures = {f"footprint{of}.{ending}" for of in ("", "-private", *WORKING_SET, "-cpu", "-p99", "-p999") for ending in ("png", "svg")}
            self.assertEqual(pictures, {path.name for path in Path(docs).iterdir()}, run.output)
        rows = self.rows(run)
        self.assertEqual([("before", "0"), ("host", "0"), ("before", "50"), ("host", "50")], [(row["arm"], row["rate"]) for row in rows])
        self.assertEqual(["", ""], [row["own_p99_us"] for row in rows[:2]])
        for row in rows:
            self.assertGreater(float(row["peak_rss_mb"]), 15)
            self.assertLess(float(row["private_mb"]), float(row["peak_rss_mb"]))
            self.assertEqual(cgroups.denied(), row["working_set_mb"] == "", row)
        for row in rows[2:]:
            # a machine that stalls may miss a rate in so short a window, and then there are no latencies
            self.assertEqual(row["rate_missed"] == "False", row["own_p999_us"] != "", row)
            if row["rate_missed"] == "False":
                self.assertAlmostEqual(50, float(row["own_requests"]), delta=25)
                self.assertGreater(float(row["own_p999_us"]), 0)

    def test_a_rate_beyond_the_machine_is_marked_and_ends_the_series(self):
        run = Program("chart", *SMALL, "--only", "before", "--rates", "40000,50000", "--connections", 1)
        self.assertEqual((0, []), (run.status, run.left_behind), run.output)
        rows = self.rows(run)
        self.assertEqual([("40000", "True", "")], [(row["rate"], row["rate_missed"], row["own_p99_us"]) for row in rows])
        self.assertIn(MARK.strip(), run.text("footprint.md"))

    def test_what_is_not_built_is_left_out_by_name(self):
        run = Program("chart", *SMALL, "--only", "before,no-such-image", "--rates", "0")
        self.assertEqual(0, run.status, run.output)
        self.assertIn("left out: no image no-such-image", run.text("footprint.md"))

if __name__ == "__main__":
    unittest.main()
