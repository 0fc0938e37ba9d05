"""What is published of storms, of changes under load, and of the first second."""
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import figures
from copies import Copy


class Storms(Copy):
    def setUp(self):
        super().setUp()
        self.forget("storms")

    def storms(self, limit_mib=64, **changes):
        one = {"killed": False, "percent": 71.6, "answered_percent": 99.2, "ok_percent": 45.0, "recovered_s": 0.1, "gc_percent": 1.7, "lag_p99_ms": 50.0,
               "missed": [], "most_bytes": 48_000_000, **changes}
        return {"at": "2027-01-02T03:04:05Z", "machine": self.data()["comparison"]["machine"], "seconds": 20,
                "results": {f"i386-client, {limit_mib} MiB": {"proxy": "i386-client", "limit": limit_mib << 20, "10,000 idle": one}}}

    def test_storms_are_published_by_proxy_and_limit(self):
        for told in (self.storms(), self.storms(128, percent=96.0, missed=["96 % of the limit"]), self.storms(percent=44.0)):
            self.assertEqual((0, ""), self.run_it("take", "storms", self.measurement(told)))
        page = self.page("docs/measurements/comparison.md")
        for words in ("| i386-client, 64 MiB ", " 44; 99 |", " **96; 99** |", "| i386-client, 128 MiB | 10,000 idle | 20      | 96 % of the limit |", " | 10,000 idle, 20 s |", "Measured 2027-01-02 on "):
            self.assertIn(words, page)
        self.assertNotIn(" 72; 99 |", page)
        self.assertEqual((0, ""), self.run_it("check"))

    def published(self, *runs):
        for told in runs:
            self.assertEqual((0, ""), self.run_it("take", "storms", self.measurement(told)))
        return self.data()["storms"]

    def test_a_run_takes_several_limits_of_a_proxy_and_leaves_the_others(self):
        several = self.storms(28)
        several["results"].update(self.storms(128)["results"])
        several["results"]["remora:i386, 29.15 MB"] = {**self.storms()["results"]["i386-client, 64 MiB"], "proxy": "i386", "limit": 29_150_000}
        other = self.storms()
        other["results"] = {"haproxy, 44 MiB": {**other["results"].pop("i386-client, 64 MiB"), "proxy": "haproxy", "limit": 44 << 20}}
        found = self.published(other, self.storms(), several)["storms"]
        titles = [title for title in found if "i386" in title]
        self.assertEqual(["i386-client, 28 MiB", "i386-client, 64 MiB", "i386-client, 128 MiB", "remora:i386, 29.15 MB"], titles)
        self.assertIn("haproxy, 44 MiB", found)

    def of_two(self, **changes):
        told = self.storms(96, **changes)
        rows = told["results"]["i386-client, 96 MiB"]
        rows["all together"] = dict(rows["10,000 idle"], percent=80.0)
        return told

    def test_a_run_replaces_the_storms_that_it_had_and_no_other(self):
        again = {**self.storms(96, percent=44.0), "at": "2027-02-03T03:04:05Z"}
        found = self.published(self.of_two(), again)["storms"]["i386-client, 96 MiB"]
        self.assertEqual([(44.0, "2027-02-03"), (80.0, "2027-01-02")], [(found[key]["percent"], found[key]["at"][:10]) for key in ("10,000 idle", "all together")])
        page = self.page("docs/measurements/comparison.md")
        self.assertIn("| 2027-01-02 .. 2027-02-03 |", page)

    def test_each_storm_is_told_with_its_seconds(self):
        self.published(self.of_two(seconds=15), {**self.of_two(), "seconds": 120, "results": {"i386-client, 96 MiB": {
            "proxy": "i386-client", "limit": 96 << 20, "all together": self.of_two()["results"]["i386-client, 96 MiB"]["all together"]}}})
        self.assertIn("| 10,000 idle, 15 s | all together, 120 s |", self.page("docs/measurements/comparison.md"))
        # in the cells, where a column has several
        self.published(self.storms(64, seconds=30.0))
        page = self.page("docs/measurements/comparison.md")
        for words in (" 10,000 idle | all together, 120 s |", " 72; 99; 15 s |", " 72; 99; 30 s |"):
            self.assertIn(words, page)

    def test_storms_of_another_machine_are_told_with_it(self):
        other = {"cpu": "Other", "cores": 64, "kernel": "7.0"}
        self.published(self.storms(96), {**self.storms(24), "machine": other})
        page = self.page("docs/measurements/comparison.md")
        self.assertIn("Measured 2027-01-02 on 64 cores (Other), Linux 7.0: i386-client, 24 MiB.", page)
        kernel = self.data()["comparison"]["machine"]["kernel"]
        self.assertIn(f"Linux {kernel}: i386-client, 96 MiB.", page)

    def test_storms_by_image_alone_are_not_published(self):
        told = self.storms()
        told["results"] = {"i386-client": {"limit": 64 << 20, "10,000 idle": {}}}
        status, text = self.run_it("take", "storms", self.measurement(told))
        self.assertEqual(65, status)
        self.assertIn("did not name the proxy", text)

    def test_a_proxy_that_a_burst_has_killed_is_told(self):
        burst = self.storms()
        burst["results"] = {"i386-client, 30 MiB": {"proxy": "i386-client", "limit": 30 << 20, "10,000 connections": {"before_mb": 23.0, "peak_mb": 30.2, "after_mb": 30.1, "missed": ["killed"]}}}
        self.published(burst)
        self.assertIn(" killed |", self.page("docs/measurements/comparison.md"))

    def test_a_killed_proxy_has_no_other_figure(self):
        self.run_it("take", "storms", self.measurement(self.storms(killed=True, missed=["killed"])))
        self.assertIn(" **killed** |", self.page("docs/measurements/comparison.md"))

    def test_bursts_stand_beside_storms(self):
        burst = self.storms()
        burst["results"] = {"i386-client, 256 MiB": {"proxy": "i386-client", "limit": 256 << 20, "10,000 connections": {"before_mb": 23.0, "peak_mb": 51.2, "after_mb": 24.1, "missed": []}}}
        for told in (self.storms(), burst):
            self.assertEqual((0, ""), self.run_it("take", "storms", self.measurement(told)))
        page = self.page("docs/measurements/comparison.md")
        for words in ("| i386-client, 256 MiB ", "51.2 ", "| 10,000 idle, 20 s |", " 72; 99 |"):
            self.assertIn(words, page)


class Changes(Copy):
    def setUp(self):
        super().setUp()
        self.forget("changes", "warm-up")

    def soak(self, kind="reload", image="i386-client", **more):
        return {"at": "2027-01-02T03:04:05Z", "machine": self.data()["comparison"]["machine"], "options": {"kind": kind, "image": image, "minutes": 10.0, "command": None}, "verdict": "pass", "reasons": [],
                "rows": [{"name": "RSS growth", "value": 0.123}], "took_s": [0.01, 0.0425], "requests": 600_000, "came": 30_000, "lost": 0, "came_lost": 0, **more}

    def test_soaks_of_changes_stand_beside_one_another(self):
        self.take("changes", self.soak(lost=3, verdict="fail"))
        self.take("changes", self.soak("takeover"))
        page = self.take("changes", self.soak())
        for words in ("| reloads of i386-client ", "| takeovers of i386-client ", " 630,000 |", " 42 |", "Measured 2027-01-02 on "):
            self.assertIn(words, page)
        self.assertNotIn("**fail** | 2027-01-02", page)
        many = self.soak(image="amd64-c1", machine={"cpu": "Other", "cores": 64, "kernel": "7.0"})
        many["options"]["routes"] = 1000
        page = self.take("changes", many)
        for words in ("| reloads of i386-client ", "| reloads of amd64-c1, 1,000 routes ", "on 64 cores (Other), Linux 7.0: reloads of amd64-c1, 1,000 routes.",
                      ": reloads of i386-client; takeovers of i386-client."):
            self.assertIn(words, page)
        self.assertEqual([65, 65], [self.take("changes", self.soak(**more)) for more in ({"verdict": "inconclusive"}, {"options": {**self.soak()["options"], "command": "x"}})])

    def test_a_soak_without_a_change_that_came_about_is_published_as_failed(self):
        page = self.take("changes", self.soak(took_s=[], verdict="fail", rows=[{"name": "RSS growth", "value": None}]))
        self.assertRegex(page, r"\| reloads of i386-client \| +10 \| +0 \| +630,000 \| +0 \| +\| +\| +\*\*fail\*\* \| 2027-01-02 \|")

    def test_first_seconds_of_images_stand_beside_one_another(self):
        row = {"failed": 0, "ready_ms": 300.0, "first_p99_ms": 20.5, "steady_p99_ms": 1.0, "times": 20.5, "rss_mb": 25.0}
        told = {"at": "2027-01-02T03:04:05Z", "machine": self.data()["comparison"]["machine"], "options": {"image": "host", "starts": 2, "rate": 1000, "connections": 16},
                "status": 0, "told": "met", "starts": {"without": [row], "with warm-up": [row]}}
        self.take("warm-up", told)
        page = self.take("warm-up", {**told, "at": "2027-02-03T03:04:05Z", "options": {**told["options"], "image": "amd64-c1", "starts": 7, "connections": 4}})
        for words in ("| host, without ", "| amd64-c1, without ", "2 starts of each, 1,000 requests a second over 16 connections: host.", "7 starts of each, 1,000 requests a second over 4 connections: amd64-c1.",
                      "Measured 2027-01-02 .. 2027-02-03 on "):
            self.assertIn(words, page)

    def test_the_first_second_is_published_with_its_steady_one(self):
        row = {"failed": 0, "ready_ms": 300.0, "first_p99_ms": 20.5, "steady_p99_ms": 1.0, "times": 20.5, "rss_mb": 25.0}
        told = {"at": "2027-01-02T03:04:05Z", "machine": self.data()["comparison"]["machine"], "options": {"image": "host", "starts": 2, "rate": 1000, "connections": 16},
                "status": 0, "told": "met", "starts": {"without": [row, {**row, "times": 30.0}], "with warm-up": [{**row, "times": 1.5}] * 2}}
        page = self.take("warm-up", told)
        for words in ("| host, without      |", "25.25 (20.50 .. 30.00)", "| host, with warm-up |", "2 starts of each"):
            self.assertIn(words, page)
        self.assertEqual(65, self.take("warm-up", {**told, "status": 2}))


if __name__ == "__main__":
    unittest.main()
