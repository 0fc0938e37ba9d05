"""Verdicts on a host that is disturbed on purpose: real sidecars, and others that take the CPU from them or from what measures them."""
import unittest

from ..conformance_runs import FAILED, INCONCLUSIVE, ConformanceCase, Run, run_until, sidecar
from ..disturbances import can_limit, cpu_limit, generator_of, hogs

# A rate that a generator reaches on a slow machine too.
PLANTED = ("--rps", "200", "--connections", "8", "--calibration", "3s", "--warmup", "6s", "--duration", "8s")
# So many that what the fault burns for each is more than the bar.
BURNING = (*PLANTED, "--rps", "500", "--calibration", "5s")
P99 = "time in the proxy, p99"


class Hogs(ConformanceCase):
    def test_one_beside_a_healthy_sidecar_makes_the_run_inconclusive(self):
        run = Run(*PLANTED, "--command", sidecar("none"), planted=lambda one: hogs(one.cores["sidecar"], 4))
        self.assert_clean_end(run, INCONCLUSIVE)
        self.assertEqual([], run.rows_with("fail"), run.output)
        self.assertGreater(run.row("host: sidecar kept from its cores")["value"], 0, run.output)
        if not run.generator_missed():
            self.assertEqual("inconclusive", run.row(P99)["result"], run.output)

    def test_one_beside_the_generator_makes_the_run_inconclusive(self):
        run = Run(*PLANTED, "--added-p99-ms", "1", "--command", sidecar("none"), planted=lambda one: hogs(one.cores["generator"], 4))
        self.assert_clean_end(run, INCONCLUSIVE)
        self.assertEqual([], run.rows_with("fail"), run.output)
        self.assertGreater(run.row("host: requests past the sidecar, p99")["value"], 1, run.output)
        self.assertEqual("inconclusive", run.row("added latency, p99")["result"], run.output)

    def test_one_beside_a_sidecar_that_takes_too_much_cpu_does_not_excuse_it(self):
        run = run_until(lambda one: not one.generator_missed(), *BURNING, "--command", sidecar("burn"),
                        planted=lambda one: hogs(one.cores["sidecar"], 1))
        self.assert_clean_end(run, FAILED)
        self.assert_told(run, "CPU")
        self.assertEqual("fail", run.row("CPU")["result"], run.output)


@unittest.skipUnless(can_limit(), "this user may not make control groups")
class Limits(ConformanceCase):
    def test_a_sidecar_under_a_limit_that_it_does_not_keep_to_has_failed(self):
        run = run_until(lambda one: not one.generator_missed(), *PLANTED, "--command", sidecar("none"),
                        planted=lambda one: cpu_limit(one.pids["sidecar"], 0.03))
        self.assert_clean_end(run, FAILED)
        self.assertEqual("fail", run.row(P99)["result"], run.output)
        self.assertGreater(run.row("sidecar stopped by its CPU limit")["value"], 10, run.output)

    def test_a_generator_under_a_limit_makes_the_run_inconclusive(self):
        run = Run(*PLANTED, "--command", sidecar("none"), planted=lambda one: cpu_limit(generator_of(one.process.pid), 0.03))
        self.assert_clean_end(run, INCONCLUSIVE)
        self.assertTrue(run.generator_missed(), run.output)


if __name__ == "__main__":
    unittest.main()
