"""The conformance test catches what it is there for: real sidecars with real faults, a generator and a backend that give up."""
import sys
import tempfile
import unittest

from remora_measure.machine import cgroups
from remora_measure.repository import LOADTEST

from ..conformance_runs import FAILED, GENERATOR_ROWS, INCONCLUSIVE, PASSED, SMALL, ConformanceCase, Run, run_fault, run_until, sidecar
from ..inflating_sidecar import INFLATED_BYTES, PROGRAM

# The path of a request is compiled once it has been taken some 2,000 times, all of it at about the same moment: not within the window.
COMPILED = ("--warmup", "12s")


class Faults(ConformanceCase):
    def assert_excused_by_the_host(self, run, row):
        """What is inconclusive says what the host had to do with it."""
        self.assertIn("the host", row["note"], run.output)

    def test_a_healthy_sidecar_fails_for_nothing(self):
        run = run_until(lambda one: one.status == PASSED, *SMALL, *COMPILED, "--duration", "8s", "--command", sidecar("none"), tries=2)
        self.assert_clean_end(run, PASSED, INCONCLUSIVE)
        self.assertEqual([], [row["name"] for row in run.rows_with("fail")], run.output)
        self.assertEqual([], [row["name"] for row in run.rows_with("missing") if row["bar"] is not None], run.output)
        self.assertEqual("missing" if cgroups.denied() else "pass", run.row("working set")["result"], run.output)
        for row in run.rows_with("inconclusive"):
            if row["name"] not in GENERATOR_ROWS:
                self.assert_excused_by_the_host(run, row)

    def test_a_healthy_sidecar_with_several_endpoints_fails_for_nothing(self):
        run = run_until(lambda one: one.status == PASSED, *SMALL, *COMPILED, "--duration", "8s", "--image", "host", "--features", "mesh", tries=2)
        self.assert_clean_end(run, PASSED, INCONCLUSIVE)
        self.assertEqual([], [row["name"] for row in run.rows_with("fail")], run.output)
        self.assertIn("endpoints-mesh.yaml", run.report["system"]["configuration"])

    def test_two_milliseconds_more_in_the_proxy_are_seen_by_it_and_by_the_wire(self):
        run = run_fault("slow", 5)
        latency = run.report["latency"]
        self.assertGreater(latency["inbound.proxy"]["p50_us"], 2000)
        if "wire" in latency:
            self.assertGreater(latency["wire"]["p50_us"], 2000)
        row = run.row("time in the proxy, p99")
        self.assertGreater(row["value"], 2.0)
        if row["result"] == "inconclusive":
            self.assert_clean_end(run, INCONCLUSIVE, FAILED)
            self.assert_excused_by_the_host(run, row)
        else:
            self.assert_clean_end(run, FAILED)
            self.assert_told(run, "time in the proxy, p99")

    def test_a_leak_is_seen_in_the_growth_of_memory(self):
        run = run_fault("leak", 8)
        self.assert_clean_end(run, FAILED)
        self.assertEqual("fail", run.row("RSS growth")["result"], run.output)
        self.assert_told(run, "RSS growth")

    @unittest.skipIf(cgroups.denied(), "this user may make no memory cgroup")
    def test_pages_that_no_process_maps_are_seen_in_the_working_set(self):
        # a file in memory would be private
        with tempfile.TemporaryDirectory(dir=LOADTEST / "target") as directory:
            planted = f"{sys.executable} {PROGRAM} {directory}/file {sidecar('none')}"
            run = run_until(lambda one: not one.generator_missed(), *SMALL, "--duration", "4s", "--command", planted)
        self.assert_clean_end(run, FAILED)
        self.assert_told(run, "working set")
        self.assertGreater(run.row("working set")["value"], INFLATED_BYTES / 1e6)
        self.assertEqual("pass", run.row("peak RSS")["result"], run.output)
        self.assertLess(run.row("private")["value"], run.row("peak RSS")["value"])

    def test_requests_that_are_never_answered_are_seen(self):
        run = run_fault("swallow", 3)
        self.assert_clean_end(run, FAILED)
        self.assertEqual("fail", run.row("failed requests")["result"], run.output)

    def test_a_sidecar_that_fails_so_much_that_the_generator_gives_up_has_failed(self):
        run = run_until(lambda one: one.status != INCONCLUSIVE, *SMALL, "--rps", "500", "--duration", "20s",
                        "--command", sidecar("drop-many"))
        self.assert_clean_end(run, FAILED)
        self.assert_told(run, "requests of the steady phase")

    def test_a_sidecar_that_ends_has_failed(self):
        for phase in ("at_warm_up", "at_steady"):
            with self.subTest(phase):
                run = Run(*SMALL, "--duration", "20s", "--command", sidecar("none"), **{phase: "sidecar"})
                self.assert_clean_end(run, FAILED)
                self.assert_told(run, "ended by itself")


class Soak(unittest.TestCase):
    def test_an_interrupt_judges_what_there_is(self):
        run = Run(*SMALL, "--duration", "100s", "--command", sidecar("none"), program="soak", at_steady="test")
        self.assertIn(run.status, (PASSED, FAILED, INCONCLUSIVE), run.output)
        self.assertEqual([], run.left_behind())
        self.assertGreater(run.samples, 1)
        self.assertLess(run.report["seconds_total"], 80)
        self.assertEqual("pass", run.row("failed requests")["result"], run.output)
        self.assertEqual("pass", run.row("growth of threads")["result"], run.output)

    def test_a_leak_fails(self):
        run = Run(*SMALL, "--duration", "8s", "--command", sidecar("leak"), program="soak")
        self.assertEqual("fail", run.row("RSS growth")["result"], run.output)
        self.assertEqual("pass", run.row("growth of descriptors")["result"], run.output)


class NoVerdict(ConformanceCase):
    """What is not the sidecar's fault gives no verdict on it."""

    def test_a_rate_beyond_the_generator_is_inconclusive_and_says_so(self):
        run = Run("--rps", "40000", "--connections", "4", "--calibration", "1s", "--warmup", "2s", "--duration", "2s",
                  "--command", sidecar("none"))
        self.assertEqual(INCONCLUSIVE, run.status, run.output)
        self.assertEqual("inconclusive", run.report["verdict"])
        self.assertEqual("inconclusive", run.row("the generator's ceiling")["result"])
        self.assertTrue(any("generator" in reason for reason in run.report["reasons"]), run.report["reasons"])
        self.assertEqual([], run.left_behind())
        # what was refused a connection was no request that the generator can do
        told = run.report["generator"]["phases"]["calibration"]
        ceiling_rps = run.report["generator"]["ceiling_rps"]
        if told["seconds"]:
            self.assertAlmostEqual((told["requests"] - told["failed"]) / told["seconds"], ceiling_rps, places=3)
        else:  # it gave up in the rehearsal
            self.assertIsNone(ceiling_rps)

    def test_a_backend_that_stops_is_named(self):
        for phase in ("at_warm_up", "at_steady"):
            with self.subTest(phase):
                run = Run(*SMALL, "--duration", "5s", "--command", sidecar("none"), **{phase: "backend"})
                self.assert_could_not_run(run, "backend", "has ended")
                self.assertIsNone(run.report)

    def test_a_sidecar_that_ends_at_once_is_named(self):
        self.assert_could_not_run(Run(*SMALL, "--command", sidecar("nonesuch")), "sidecar", "ended at its start", "nonesuch")



if __name__ == "__main__":
    unittest.main()
