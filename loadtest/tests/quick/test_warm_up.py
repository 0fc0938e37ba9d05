"""The first second after a start: its arithmetic, and its bar."""
import unittest

from remora_measure.errors import CouldNotRun
from remora_measure.load.outcomes import Request
from remora_measure.programs import warm_up


def requests(seconds, latency_of, outcome="200"):
    """A hundred each second."""
    return [Request(1000.0 + number / 100, 0.0, latency_of(number / 100), outcome, "-") for number in range(100 * seconds)]


class Arithmetic(unittest.TestCase):
    def test_a_percentile_is_a_value_that_was_there(self):
        values = [float(number) for number in range(1, 1001)]
        self.assertEqual([990.0, 500.0, 1000.0], [warm_up.percentile(values[::-1], share) for share in (0.99, 0.5, 1)])
        self.assertEqual(7.0, warm_up.percentile([7.0], 0.99))

    def test_the_first_second_is_told_beside_the_last_ones(self):
        row = warm_up.told(requests(12, lambda at: 0.030 if at < 0.5 else 0.004 if at < 8 else 0.002), 12)
        self.assertEqual((1200, 0), (row["requests"], row["failed"]))
        self.assertAlmostEqual(30.0, row["first_p99_ms"])
        self.assertAlmostEqual(4.0, row["first_p50_ms"], delta=26.1)
        self.assertAlmostEqual(2.0, row["steady_p99_ms"])
        self.assertAlmostEqual(15.0, row["times"])

    def test_a_load_that_ended_early_is_no_measurement(self):
        for short in ([], requests(2, lambda _: 0.001)):
            with self.assertRaises(CouldNotRun):
                warm_up.told(short, 12)


class Bar(unittest.TestCase):
    def judge(self, times, hiccup_ms=0.1, failed=0):
        rows = [{"failed": failed, "times": times, "first_p99_ms": times, "steady_p99_ms": 1.0, "hiccup_p99_us": 1e3 * hiccup_ms}] * 3
        return warm_up.judge({warm_up.COLD: [{**rows[0], "failed": 0, "times": 20.0}] * 3, warm_up.WARM: rows})

    def test_it_is_for_starts_with_warm_up_only(self):
        self.assertEqual(0, self.judge(2.0)[0])
        self.assertIn("20.00 times without", self.judge(2.0)[1])
        self.assertEqual((1, True), (self.judge(2.5)[0], "missed" in self.judge(2.5)[1]))

    def test_a_host_that_is_late_by_as_much_leaves_it_open(self):
        self.assertEqual(2, self.judge(2.3, hiccup_ms=0.4)[0])

    def test_beside_what_a_noisy_host_does_nothing_is_met(self):
        self.assertEqual([0, 2], [self.judge(1.5, hiccup_ms=late)[0] for late in (0.4, 0.6)])

    def test_what_was_not_asked_for_has_no_bar(self):
        status, text = warm_up.judge({warm_up.COLD: [{"failed": 0, "times": 20.0}] * 3})
        self.assertEqual((0, True), (status, "20.00 times the steady one's without" in text))

    def test_no_request_may_fail(self):
        self.assertEqual((1, "3 requests failed"), self.judge(1.0, failed=1))

    def test_a_run_is_long_enough_for_both(self):
        with self.assertRaisesRegex(CouldNotRun, "at least 5"):
            warm_up.read_arguments(["--seconds", "4"])


if __name__ == "__main__":
    unittest.main()
