"""Soaks of changes: the judgement of runs that are made up."""
import random
import unittest

from remora_measure import changes
from remora_measure.conformance import growth, verdict
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

    def processes(self, *rss_mb):
        return [{**self.WELL["growth_samples"][0], "t_s": float(number), "rss_mb": value} for number, value in enumerate(rss_mb)]

    def test_processes_that_differ_by_chance_do_not_fail(self):
        """Of ten processes of 25 MB and a standard deviation of half a megabyte: a line through the last five rises by more than 1 MB in one run of six."""
        chance, results = random.Random(10), []
        for _ in range(500):
            rows = changes.judge(self.TAKEOVERS, {**self.WELL, "growth_samples": self.processes(*(chance.gauss(25, 0.5) for _ in range(10)))})
            results.append(next(row.result for row in rows if row.name == "RSS growth"))
        self.assertLess(results.count("fail"), 2)
        self.assertGreater(results.count("pass"), 450)

    def test_what_climbs_among_processes_that_differ_fails(self):
        self.assertEqual("fail", self.verdict(growth_samples=self.processes(25.0, 25.6, 25.4, 26.1, 25.9, 26.6, 26.2, 27.1, 26.9, 27.4)))
        # by more than the bar, and by no more than chance explains
        self.assertEqual("inconclusive", self.verdict(growth_samples=self.processes(25.0, 26.0, 25.0, 25.0, 26.0, 25.0, 26.0, 25.0, 27.5, 26.0)))

    def test_reloads_are_of_one_process_over_its_last_half(self):
        climbing = [{"t_s": float(second), "rss_mb": 25 + max(0, second - 30) / 20, "descriptors": 60, "threads": 14} for second in range(60)]
        asked = self.TAKEOVERS._replace(kind=changes.RELOAD, changes=11)
        self.assertEqual("fail", verdict.overall(changes.judge(asked, {**self.WELL, "growth_samples": climbing})))

    def test_processes_are_compared_at_the_same_age(self):
        """The first took over from nobody, and the last but one was taken over from at once."""
        ages = {10: 90, 11: 60, 12: 57, 13: 3, 14: 62}
        samples = [{"t_s": 0.0, "pid": pid, "age_s": float(age), "rss_mb": pid + age / 100, "descriptors": 60, "threads": 14} for pid, most in ages.items() for age in range(most + 1)]
        found = changes.by_process(samples, 60.0, 10)
        self.assertEqual([(1.0, 57.0), (2.0, 57.0), (4.0, 57.0)], [(one["t_s"], one["age_s"]) for one in found])
        self.assertEqual([11.56, 12.56, 14.56], [round(one["rss_mb"], 2) for one in found])
        self.assertEqual([], changes.by_process(samples[:91], 60.0, 10))
        # the first may have gone before it was looked at
        self.assertEqual([one["rss_mb"] for one in found], [one["rss_mb"] for one in changes.by_process(samples[91:], 60.0, 10)])

    def test_what_the_machine_did_not_come_to_is_inconclusive(self):
        for more in ({"requests": 580_000}, {"took_s": [0.5] * 8}, {"growth_samples": self.WELL["growth_samples"][:growth.LEAST_PROCESSES - 1]}):
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
