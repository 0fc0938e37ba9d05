"""Short runs of the comparison in front of a real backend."""
import json
import os
import shutil
import tempfile
import unittest
from pathlib import Path

from remora_measure import arms
from remora_measure.errors import RequestsFailed
from remora_measure.load import java_tools
from remora_measure.machine import cgroups, kernel, processes
from remora_measure.results.comparison import DIRECT
from remora_measure.runs import Load, fixed_rate

from ..conformance_runs import sidecar
from ..program_runs import Program

SHORT = ("--rate", 100, "--connections", 2, "--warmup", 0.5, "--seconds", 2)


class Sums(unittest.TestCase):
    @unittest.skipUnless(shutil.which("nginx"), "nginx is not installed")
    def test_a_master_and_its_worker_are_measured_together(self):
        with tempfile.TemporaryDirectory() as work, arms.bench(Path(work), "bundled", 64) as bench:
            Path(work).chmod(0o755)
            nginx = next(arm for arm in arms.peer_arms(bench) if arm.name == "nginx")
            with arms.running(nginx, bench.ports) as system:
                master = system.sidecar.pid
                self.assertEqual(2, len(system.pids()))
                self.assertGreater(system.sum_mb("VmHWM"), kernel.status(master, "VmHWM"))
                self.assertGreater(system.memory()["peak_rss_mb"], system.memory()["pss_mb"])


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
        self.assertLess(figures["private_mb"]["median"], figures["peak_rss_mb"]["median"])
        self.assertEqual(cgroups.denied(), "working_set_mb" not in figures)

    @unittest.skipIf(os.geteuid() != 0 or not shutil.which("haproxy"), "only root may drop the kernel's cache, or haproxy is not installed")
    def test_a_herd_tells_the_marginal_cost(self):
        run = Program("compare", *SHORT, "--rounds", 1, "--closed", 0, "--only", "haproxy", "--no-wire", "--backend", "bundled", "--herd", 2)
        self.assertEqual((0, []), (run.status, run.left_behind), run.output)
        # others may take or give back any memory meanwhile
        self.assertIn("marginal_mb", json.loads(run.text("compare.json"))["rounds"]["haproxy"][0])
        self.assertIn("marginal cost, MB", run.text("compare.md"))

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

    @unittest.skipUnless(shutil.which("wrk"), "wrk is not installed")
    def test_both_sidecars_of_added_cpu_are_loaded_at_once(self):
        run = Program("compare", "--what", "added-cpu", "--rounds", 1, "--warmup", 2, "--blocks", 2, "--seconds", 2, "--only", "host", "--variants", "nothing,features",
                      "--backend", "bundled", "--busy")
        self.assertEqual((0, []), (run.status, run.left_behind), run.output)
        result = json.loads(run.text("added-cpu.json"))
        for name, rows in result["rounds"].items():
            self.assertEqual(2, len(rows[0]["blocks_percent"]), name)
            self.assertGreater(min(rows[0][key] for key in ("cpu_us", "plain_cpu_us", "rps")), 0, name)
        self.assertEqual(["host+features"], [bar["arm"] for bar in result["bars"]])
        self.assertIn("next to a competing load", run.text("added-cpu.md"))

    def test_what_is_not_known_cannot_run(self):
        run = Program("compare", "--only", "squid", "--backend", "bundled")
        self.assertEqual(3, run.status, run.output)
        self.assertIn("there is no squid", run.output)

    def test_failed_requests_stop_it(self):
        load = Load(rate=400, connections=4, warmup=0.5, seconds=2)
        with tempfile.TemporaryDirectory() as work, arms.bench(Path(work), "bundled", 64) as bench:
            command = [word.replace("{config}", f"{work}/remora.yaml") for word in sidecar("drop").split()]
            with arms.running(arms.command_arm(bench, "drop", command), bench.ports) as system, \
                    java_tools.LoadSession(bench.work, bench.java_home, bench.log, bench.ports) as session, \
                    java_tools.HiccupMeter(bench.java_home, bench.log) as hiccups, \
                    self.assertRaisesRegex(RequestsFailed, r"\d+ requests failed"):
                fixed_rate(system, bench, load, session, hiccups)
            self.assertFalse(processes.listens(bench.ports.front))

if __name__ == "__main__":
    unittest.main()
