"""What an observer is said to add to a sidecar."""
import unittest

from remora_measure.comparisons import insight


class Added(unittest.TestCase):

    def test_a_window_is_compared_with_its_neighbours(self):
        before = {"cpu_us": 90.0, "private_mb": 10.0, "rss_mb": 20.0}
        after = {"cpu_us": 110.0, "private_mb": 12.0, "rss_mb": 22.0}
        found = insight.added(before, {"cpu_us": 102.0, "private_mb": 12.5, "rss_mb": 21.0}, after)
        self.assertAlmostEqual(2.0, found["added_cpu_percent"])
        self.assertAlmostEqual(1.5, found["added_private_mb"])
        self.assertAlmostEqual(0.0, found["added_rss_mb"])

    def test_what_one_of_them_lacks_is_left_out(self):
        rows = [{"cpu_us": 90.0, "private_mb": private, "rss_mb": 20.0} for private in (10.0, None, 10.0)]
        self.assertEqual({"added_cpu_percent", "added_rss_mb"}, set(insight.added(*rows)))

    def test_the_table_shows_the_median_and_the_range(self):
        rows = [{"cpu_us": 100.0, "added_cpu_percent": value} for value in (0.5, 1.0, 2.0)]
        line = insight.table({"dashboard": rows}).splitlines()[-1]
        self.assertIn("dashboard", line)
        self.assertIn("1.0 (0.5 .. 2.0)", line)

    def test_unknown_observers_are_refused(self):
        with self.assertRaisesRegex(Exception, "no observer view.*dashboard"):
            insight.run(insight.read_arguments(["--only", "view"]))


if __name__ == "__main__":
    unittest.main()
