"""The picture of docs/balancing.md."""
import unittest

from remora_measure.programs import balance_chart


class Describing(unittest.TestCase):
    def test_each_balancer_has_its_line(self):
        described = balance_chart.description({"round-robin": [[0.25, 33.0], [0.75, 34.0]], "peak-ewma": [[0.25, 30.0], [0.75, 0.0]]})
        self.assertEqual([series["name"] for series in described["series"]], ["round-robin", "peak-ewma"])
        self.assertEqual(described["series"][1]["x"], [0.25, 0.75])
        self.assertEqual(described["series"][1]["y"], [30.0, 0.0])
        self.assertEqual(described["y"]["least"], 0)


if __name__ == "__main__":
    unittest.main()
