"""Soaks of changes: the judgement of runs that are made up."""
import unittest

from remora_measure import changes
from remora_measure.conformance import verdict
from remora_measure.programs import soak_changes


class Judgement(unittest.TestCase):
    TAKEOVERS = changes.Asked(changes.TAKEOVER, "host", 600, 10, 1000, 16, 50)
    WELL = {"seconds": 600.0, "requests": 600_000, "lost": 0, "came": 30_000, "came_lost": 0, "failures": [], "took_s": [0.5] * 10, "alive": True,
            "growth_samples": [{"t_s": float(number), "rss_mb": 25.0, "descriptors": 60, "threads": 14} for number in range(1, 11)]}

    def verdict(self, **more):
        return verdict.overall(changes.judge(self.TAKEOVERS, {**self.WELL, **more}))

    def climbing(self, key, step):
        return [{**one, key: one[key] + step * one["t_s"]} for one in self.WELL["growth_samples"]]

    def test_every_bar_can_be_missed(self):
        self.assertEqual("pass", self.verdict())
        for more in ({"lost": 1}, {"came_lost": 1}, {"failures": ["too slow"]}, {"alive": False}, {"growth_samples": self.climbing("rss_mb", 0.5)},
                     {"growth_samples": self.climbing("descriptors", 2)}, {"growth_samples": self.climbing("threads", 1)}):
            with self.subTest(more):
                self.assertEqual("fail", self.verdict(**more))

    def test_what_the_machine_did_not_come_to_is_inconclusive(self):
        for more in ({"requests": 580_000}, {"took_s": [0.5] * 8}, {"growth_samples": self.WELL["growth_samples"][:3]}):
            with self.subTest(more):
                self.assertEqual("inconclusive", self.verdict(**more))

    def test_one_that_hangs_fails(self):
        self.assertEqual("fail", self.verdict(requests=1000, lost=1))

    def test_a_thousand_routes_have_a_bar_of_time(self):
        asked = self.TAKEOVERS._replace(kind=changes.RELOAD, changes=100, routes=1000)
        results = [{row.name: row.result for row in changes.judge(asked, {**self.WELL, "took_s": [seconds] * 90})} for seconds in (0.1, 0.11)]
        self.assertEqual(["pass", "fail"], [one["reload, median"] for one in results])
        self.assertEqual("reported", {row.name: row.result for row in changes.judge(asked._replace(routes=999), {**self.WELL, "took_s": [9.0] * 90})}["reload, median"])

    def test_how_many_changes_there_are(self):
        for words, count in ((("reload",), 1000), (("reload", "--minutes", "2"), 200), (("takeover",), 10), (("takeover", "--changes", "3"), 3)):
            with self.subTest(words):
                self.assertEqual(count, soak_changes.asked_for(soak_changes.read_arguments(words)).changes)


if __name__ == "__main__":
    unittest.main()
