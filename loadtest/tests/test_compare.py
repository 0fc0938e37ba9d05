"""The comparison: its arithmetic, its tables, and short runs of it in front of a real backend."""
import json
import shutil
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

from footprint import arms, kernel, measured, processes, spread, tools
from footprint.compared import DIRECT, Comparison
from footprint.spread import Figure, Spread

from .faults import sidecar
from .programs import Program

OPTIONS = {"rate": 1000, "connections": 16, "body": 1024}
SHORT = ("--rate", 100, "--connections", 2, "--warmup", 0.5, "--seconds", 2)
RSS = Figure("peak_rss_mb", "peak RSS, MB", 1)
WRK_FINE = "Running 1s test\n  100 requests in 1.00s, 1.2MB read\nRequests/sec: 100.00\n"


def row(rss_mb, client_us=100.0, **more):
    clients = {f"client_{key}": client_us for key in ("p50_us", "p99_us", "p999_us")}
    return {"peak_rss_mb": rss_mb, "cpu_us": 2 * rss_mb, "rate_rps": 1000.0, "rate_missed": False, **clients, **more}


def comparison(**rows):
    told = Comparison(OPTIONS, {})
    for name, of_arm in rows.items():
        for number, one in enumerate(of_arm):
            told.add(number, name, one)
    return told


class Arithmetic(unittest.TestCase):
    def test_a_spread_is_of_the_values_that_are_there(self):
        self.assertEqual(Spread(2, 1, 9), spread.of([9, None, 1, 2]))
        self.assertIsNone(spread.of([None]))

    def test_ratios_are_taken_round_by_round(self):
        """The medians' ratio would be 1: a machine half as fast in one round slows both."""
        mine, other = [row(10.0), row(40.0), row(30.0)], [row(20.0), row(80.0), row(20.0)]
        self.assertEqual({"peak_rss_mb": Spread(0.5, 0.5, 1.5)}, spread.ratios(mine, other, [RSS]))

    def test_a_round_without_one_of_the_two_has_no_ratio(self):
        self.assertEqual({"peak_rss_mb": Spread(0.5, 0.5, 0.5)}, spread.ratios([row(10.0), None], [row(20.0), row(1.0)], [RSS]))
        self.assertEqual({}, spread.ratios([row(10.0)], [{}], [RSS]))

    def test_tables_are_markdown_with_a_range_where_values_differ(self):
        by_name = {"a": {"peak_rss_mb": Spread(1234.56, 1000, 2000)}, "bb": {"peak_rss_mb": Spread(1, 1, 1)}}
        table = spread.spread_table("arm", by_name, [RSS])
        self.assertEqual(["| arm |                 peak RSS, MB |", "|-----|-----------------------------:|",
                          "| a   | 1,234.6 (1,000.0 .. 2,000.0) |", "| bb  |                          1.0 |"],
                         table.splitlines())

    def test_a_figure_that_nothing_has_is_no_column(self):
        self.assertNotIn("peak RSS", spread.spread_table("arm", {"a": {}}, [RSS]))

    def test_what_wrk_counts_as_failed(self):
        self.assertEqual(0, measured.wrk_failures(WRK_FINE))
        self.assertEqual(13, measured.wrk_failures(WRK_FINE + "  Socket errors: connect 1, read 2, write 3, timeout 4\n"
                                                              "  Non-2xx or 3xx responses: 3\n"))

    def test_a_rate_is_missed_by_more_than_one_per_cent(self):
        self.assertFalse(measured.missed(9_900, 10.0, 1000))
        self.assertTrue(measured.missed(9_890, 10.0, 1000))
        self.assertFalse(measured.missed(79, 8.0, 10))


class Result(unittest.TestCase):
    def test_what_is_added_is_told_against_the_same_round(self):
        told = comparison(**{"image": [row(1.0, 150.0), row(1.0, 990.0)], DIRECT: [row(1.0, 100.0), row(1.0, 900.0)]})
        self.assertEqual([50.0, 90.0], [one["added_p99_us"] for one in told.completed()["image"]])

    def test_a_round_without_the_direct_way_adds_nothing_known(self):
        told = comparison(**{"image": [row(1.0), row(1.0)], DIRECT: [row(1.0)]})
        self.assertNotIn("added_p99_us", told.completed()["image"][1])

    def test_ratios_to_both_references(self):
        result = comparison(image=[row(30.0)], envoy=[row(60.0)], haproxy=[row(15.0)]).describe()
        self.assertEqual(0.5, result["ratios"]["envoy"]["image"]["peak_rss_mb"]["median"])
        self.assertEqual(2.0, result["ratios"]["haproxy"]["image"]["peak_rss_mb"]["median"])
        self.assertNotIn("envoy", result["ratios"]["envoy"])

    def test_markdown_names_what_was_left_out_missed_and_stopped(self):
        told = comparison(image=[row(30.0, rate_rps=900.0, rate_missed=True)])
        told.left_out["envoy"] = "envoy is not installed: how to"
        told.failure = "3 requests failed"
        text = told.markdown()
        for words in ("left out: envoy is not installed: how to", "round 1, image: 900 requests a second of 1000", "3 requests failed"):
            self.assertIn(words, text)


class Families(unittest.TestCase):
    @unittest.skipUnless(shutil.which("nginx"), "nginx is not installed")
    def test_a_master_and_its_worker_are_measured_together(self):
        with tempfile.TemporaryDirectory() as work, arms.bench(Path(work), SimpleNamespace(backend="bundled", body=64)) as bench:
            Path(work).chmod(0o755)
            nginx = next(arm for arm in arms.peer_arms(bench) if arm.name == "nginx")
            with arms.running(nginx, bench) as family:
                master = family.sidecar.pid
                self.assertEqual(2, len(family.pids()))
                self.assertGreater(family.sum_mb("VmHWM"), kernel.status(master, "VmHWM"))
                self.assertGreater(family.memory()["peak_rss_mb"], family.memory()["pss_mb"])


class Runs(unittest.TestCase):
    def test_the_machines_own_jdk_in_front_of_the_bundled_backend(self):
        run = Program("compare", *SHORT, "--rounds", 2, "--closed", 0, "--only", "host", "--no-wire", "--backend", "bundled")
        self.assertEqual((0, []), (run.status, run.left_behind), run.output)
        result = json.loads(run.text("compare.json"))
        self.assertEqual({"host": 2, DIRECT: 2}, {name: len(rows) for name, rows in result["rounds"].items()})
        figures = result["figures"]["host"]
        self.assertGreater(figures["peak_rss_mb"]["low"], 15)
        self.assertGreater(figures["cpu_us"]["low"], 10)
        self.assertAlmostEqual(100, figures["rate_rps"]["median"], delta=10)
        self.assertIn("added_p50_us", figures)
        self.assertNotIn("cpu_us", result["figures"][DIRECT])
        self.assertIn(b"<svg", run.files["peak_rss_mb.svg"])

    @unittest.skipUnless(shutil.which("nginx") and shutil.which("wrk"), "nginx or wrk is not installed")
    def test_peers_on_the_wire_and_in_a_closed_loop(self):
        peers = [name for name in ("nginx", "haproxy") if shutil.which(name)]
        run = Program("compare", *SHORT, "--rounds", 1, "--closed", 1, "--only", ",".join(peers), "--backend", "nginx")
        self.assertEqual((0, []), (run.status, run.left_behind), run.output)
        for name, figures in json.loads(run.text("compare.json"))["figures"].items():
            if name != DIRECT:
                self.assertGreater(figures["closed_rps"]["low"], 100, name)
                if "wire_p50_us" in figures:
                    self.assertGreater(figures["wire_p99_us"]["low"], figures["wire_p50_us"]["low"], name)
        self.assertIn("| nginx ", run.text("compare.md"))

    def test_what_is_not_known_cannot_run(self):
        run = Program("compare", "--only", "squid", "--backend", "bundled")
        self.assertEqual(3, run.status, run.output)
        self.assertIn("there is no squid", run.output)

    def test_failed_requests_stop_it(self):
        load = SimpleNamespace(rate=400, connections=4, warmup=0.5, seconds=2, wire=False, backend="bundled", body=64)
        with tempfile.TemporaryDirectory() as work, arms.bench(Path(work), load) as bench:
            command = [word.replace("{config}", f"{work}/remora.yaml") for word in sidecar("drop").split()]
            with arms.running(arms.command_arm(bench, "drop", command), bench) as family, \
                    tools.LoadSession(bench.work, bench.java_home, bench.log, bench.ports) as session, \
                    tools.HiccupMeter(bench.java_home, bench.log) as hiccups, \
                    self.assertRaisesRegex(measured.Failed, r"\d+ requests failed"):
                measured.fixed_rate(family, bench, load, session, hiccups)
            self.assertFalse(processes.listens(bench.ports.front))


if __name__ == "__main__":
    unittest.main()
