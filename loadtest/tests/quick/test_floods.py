"""What is judged of floods, and of a thousand endpoints."""
import unittest

from remora_measure.errors import CouldNotRun
from remora_measure.programs import endpoints, floods


class Floods(unittest.TestCase):
    WELL = {"alive": True, "slowest_ms": 30.0, "rss_mb": 25.0, "heap_mb": 4.0, "cpu_s": 0.3}

    def test_whom_a_flood_keeps_out_fails_it(self):
        self.assertEqual(0, floods.status({"none": self.WELL, "PING": self.WELL}))
        for more in ({"alive": False}, {"slowest_ms": float("inf")}):
            with self.subTest(more):
                self.assertEqual(1, floods.status({"none": self.WELL, "PING": {**self.WELL, **more}}))

    def test_a_flood_that_there_is_not_is_no_pass(self):
        self.assertEqual(["PING"], floods.wanted("PING"))
        self.assertEqual(len(floods.BY_STREAM) + len(floods.HELD), len(floods.wanted("")))
        with self.assertRaisesRegex(CouldNotRun, "PINGS"):
            floods.wanted("PING,PINGS")


class Endpoints(unittest.TestCase):
    WELL = {"rss_kib_each": 1.0, "heap_bytes_each": 1024.0, "effect_ms": 50.0, "failed": 0, "quiet_failed": 0}

    def table(self, **more):
        return endpoints.table(1000, {"image": {**self.WELL, **more}})

    def test_a_missed_bar_is_shown(self):
        self.assertNotIn("**", self.table())
        for key, value, shown in (("rss_kib_each", 2, "**2.00**"), ("heap_bytes_each", 1025, "**1,025**"), ("effect_ms", 51, "**51.0**"), ("failed", 1, "**1**")):
            with self.subTest(key):
                self.assertIn(f" {shown} |", self.table(**{key: value}))
        self.assertIn(" inconclusive |", self.table(heap_bytes_each=None))

    def test_a_request_that_fails_fails_it_whenever_it_was(self):
        self.assertEqual(0, endpoints.status({"image": self.WELL}))
        for key in ("failed", "quiet_failed"):
            self.assertEqual(1, endpoints.status({"image": {**self.WELL, key: 1}}))


if __name__ == "__main__":
    unittest.main()
