"""The least memory limit of an image, of what was found under several."""
import unittest
import unittest.mock

from remora_measure.errors import CouldNotRun
from remora_measure.programs import least_limit

LOAD = {"failed": 0, "p99_us": 200.0, "p999_us": 900.0, "major_faults_a_second": 0.2, "repeated_reads_a_second": 0.0}
STORM = {"answered_percent": 100.0, "major_faults_a_second": 4.0, "repeated_reads_a_second": 6.0, "missed": []}


class LeastLimit(unittest.TestCase):
    def missed(self, **load):
        return least_limit.misses({**LOAD, **load}, STORM)

    def test_a_limit_holds_that_meets_every_bar(self):
        self.assertEqual([], self.missed(p99_us=1_000.0, p999_us=5_000.0, major_faults_a_second=4.9))

    def test_a_limit_that_misses_one_bar_does_not_hold(self):
        for load in ({"failed": 1}, {"p99_us": 1_001.0}, {"p999_us": 5_001.0}, {"major_faults_a_second": 5.0}):
            with self.subTest(load):
                self.assertEqual(1, len(self.missed(**load)))
        self.assertEqual(["storm: killed"], least_limit.misses(LOAD, {**STORM, "missed": ["killed"]}))
        self.assertEqual(["storm: 5 major faults a second"], least_limit.misses(LOAD, {**STORM, "major_faults_a_second": 5.0}))

    def test_a_page_that_is_read_ahead_again_is_no_major_fault(self):
        self.assertEqual([], self.missed(major_faults_a_second=4.9, repeated_reads_a_second=40.0))

    def test_a_sidecar_that_ends_under_load_is_a_limit_that_does_not_hold(self):
        with unittest.mock.patch.object(least_limit, "under_load", side_effect=ConnectionRefusedError("refused")):
            found = least_limit.measure("i386-client", 28_000_000, None, None)
        self.assertEqual(["it ended under load: refused"], found["missed"])

    def test_the_least_is_below_no_limit_that_does_not_hold(self):
        held, not_held = {"missed": []}, {"missed": ["killed"]}
        self.assertEqual(30, least_limit.least({28: [held, not_held], 30: [held, held], 32: [held, held]}))
        self.assertEqual(32, least_limit.least({28: [held], 30: [not_held], 32: [held]}))
        self.assertIsNone(least_limit.least({28: [held], 30: [not_held]}))

    def test_the_table_says_why_a_limit_does_not_hold(self):
        table = least_limit.table({28_000_000: [{"missed": ["the proxy did not start, status 78: too little"]}],
                                   30_000_000: [{"load": LOAD, "storm": STORM, "missed": []}]}, "i386-client")
        refused, held = table.splitlines()[2:]
        self.assertRegex(refused, r"28\.0 .* the proxy did not start, status 78: too little \|")
        self.assertRegex(held, r"30\.0 .* 200 .* 900 .* 0\.2; 0\.0 .* 4\.0; 6\.0 .* yes \|")

    def test_needs_root(self):
        with unittest.mock.patch("os.geteuid", return_value=1000), self.assertRaisesRegex(CouldNotRun, "memory cgroup"):
            least_limit.run(least_limit.read_arguments(["--limits", "28m"]))


if __name__ == "__main__":
    unittest.main()
