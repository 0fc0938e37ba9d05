"""The first second after a start: its arithmetic, and its bar."""
import unittest

from remora_measure.errors import CouldNotRun
from remora_measure.load.outcomes import Request
from remora_measure.programs import warm_up
from remora_measure.repository import LOADTEST


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


    def test_what_a_warm_up_came_to_is_in_the_log(self):
        for log, asked, done in (("x\n10:00 INFO warm-up: 2000 requests in 412 ms\n", 2000, True), ("WARN warm-up ended after 120 requests and 10002 ms: its time is over", 120, False),
                                 ("INFO warm-up: 1999 requests in 412 ms", 1999, False), ("", 0, False)):
            with self.subTest(log):
                self.assertEqual({"warm_up_requests": asked, "warm_up_done": done}, {key: value for key, value in warm_up.warmed(log).items() if key != "warm_up_told"})
        self.assertEqual("warm-up ended after 120 requests and 10002 ms: its time is over", warm_up.warmed("WARN warm-up ended after 120 requests and 10002 ms: its time is over\n")["warm_up_told"])

    def test_the_sidecar_is_asked_for_as_many_as_are_looked_for(self):
        self.assertIn(f"warm-up: {{ requests: {warm_up.WARM_UP_REQUESTS}, ", (LOADTEST / "peers/remora-warm-up.yaml").read_text())


class Bar(unittest.TestCase):
    def row(self, times, hiccup_ms=0.1, **more):
        return {"failed": 0, "times": times, "first_p99_ms": times, "steady_p99_ms": 1.0, "hiccup_p99_us": 1e3 * hiccup_ms, **more}

    def of(self, *rows):
        return warm_up.judge({warm_up.COLD: [self.row(20.0)] * len(rows), warm_up.WARM: rows})

    def judge(self, times, hiccup_ms=0.1, failed=0):
        return self.of(*[self.row(times, hiccup_ms, failed=failed)] * 3)

    def test_a_hiccup_counts_in_the_window_that_it_was_in(self):
        """Of twelve seconds it may be no p99, and of the first one it is."""
        quiet = {"first_hiccup_p99_us": 100.0, "steady_hiccup_p99_us": 100.0}
        for more, status in (({}, 1), ({"first_hiccup_p99_us": 600.0}, 2), ({"steady_hiccup_p99_us": 600.0}, 2)):
            with self.subTest(more):
                self.assertEqual(status, self.of(*[self.row(3.0, **{**quiet, **more})] * 3)[0])
        # nor is the whole start's asked where those of its windows are known
        self.assertEqual(0, self.of(*[self.row(1.5, 9.0, **quiet)] * 3)[0])

    def test_seconds_slower_than_the_first_one_are_not_steady(self):
        self.assertEqual([0, 2], [self.judge(times)[0] for times in (0.5, 0.46)])

    def test_some_starts_beside_a_late_host_do_not_excuse_the_others(self):
        late, well, slow = self.row(9.0, hiccup_ms=5.0), self.row(1.5), self.row(3.0)
        for rows, status in (((late, well, well), 0), ((late, slow, slow), 1), ((late, late, well), 2), ((late, well, slow), 2), ((late, slow, slow, slow, well), 1)):
            with self.subTest(rows):
                self.assertEqual(status, self.of(*rows)[0])

    def test_a_warm_up_that_did_not_end_is_told_and_not_met(self):
        ended = {"warm_up_requests": 120, "warm_up_done": False, "warm_up_told": "warm-up ended after 120 requests and 10002 ms: its time is over"}
        done = {"warm_up_requests": 2000, "warm_up_done": True}
        status, text = self.of(self.row(1.5, **ended), self.row(1.5, **done), self.row(1.5, **done))
        self.assertEqual(2, status)
        self.assertIn("1 of 3 did not come to its end (warm-up ended after 120 requests and 10002 ms: its time is over)", text)
        self.assertEqual(1, self.of(*[self.row(3.0, **ended)] * 3)[0])
        self.assertEqual(0, self.of(*[self.row(1.5, **done)] * 3)[0])

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
