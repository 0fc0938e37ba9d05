"""Sources that change each second, for some seconds; loadtest/tests/runs has a minute of it."""
import tempfile
import unittest
from pathlib import Path

from remora_measure.repository import SIDECAR_JAR

from .. import flapping

SECONDS = 8


class FlappingCase:
    """What holds for a run of any length."""

    def test_no_request_goes_to_an_address_that_is_not_listed(self):
        for name in ("from-file", "from-dns"):
            self.assertEqual([], self.run_over.wrong(name)[:5], name)
            # that each list met requests is for the next test; a machine with other work does not reach the rate
            self.assertGreater(len(self.run_over.requests[name]), 100 * self.seconds, name)

    def test_lists_are_in_use_soon(self):
        for name in ("from-file", "from-dns"):
            self.assertLessEqual(min(self.run_over.delays(name)), flapping.SOON_S, name)

    def test_each_list_is_used_and_no_request_fails(self):
        for name in ("from-file", "from-dns"):
            listed = set().union(*(flapping.turn(number) for number in range(self.seconds - 2)))
            self.assertLessEqual(listed, self.run_over.used(name), name)
            self.assertEqual([], self.run_over.failed(name)[:5], name)

    def test_nothing_is_left_of_endpoints_that_are_gone(self):
        before, after = self.run_over.before, self.run_over.after
        self.assertTrue(self.run_over.alive)
        self.assertEqual(2 * flapping.AT_ONCE, len(before.series))
        self.assertEqual((before.series, before.known, 0), (after.series, after.known, after.open))
        # one fewer where a connection of the start, such as this test's to the admin listener, is closed only later
        self.assertLessEqual(after.descriptors, before.descriptors)


@unittest.skipUnless(SIDECAR_JAR.exists(), "make build makes the sidecar")
@unittest.skipIf(flapping.missing(), "knot is not installed")
class ShortFlapping(FlappingCase, unittest.TestCase):
    seconds = SECONDS

    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as work:
            cls.run_over = flapping.Flapping("host", Path(work), cls.seconds)


class Judgement(unittest.TestCase):
    """Of a run that was made up: what the rule lets pass and what it does not."""

    def setUp(self):
        self.made_up = flapping.Flapping.__new__(flapping.Flapping)
        self.made_up.published, self.made_up.in_use = {"x": [(100.0, {"a"}), (110.0, {"b"})]}, {"x": [100.5, 111.0]}

    def wrong(self, due, server, latency=0.001):
        self.made_up.requests = {"x": [flapping.outcomes.Request(due, 0.0, latency, "200", f"{server}:1")]}
        return len(self.made_up.wrong("x"))

    def test_the_former_address_is_right_until_the_next_list_is_in_use(self):
        self.assertEqual([0, 0, 1], [self.wrong(at, "a") for at in (105, 110.9, 111.1)])

    def test_an_address_is_wrong_before_it_is_listed(self):
        self.assertEqual([1, 0], [self.wrong(at, "b") for at in (109.9, 110.1)])
        self.assertEqual(0, self.wrong(109.9, "b", latency=0.2))

    def test_an_address_that_never_was_listed_is_always_wrong(self):
        self.assertEqual([1, 1], [self.wrong(at, "c") for at in (105, 115)])


if __name__ == "__main__":
    unittest.main()
