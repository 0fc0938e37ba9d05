"""What is published of comparisons over other protocols, of faults, and with features."""
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import figures
from copies import Copy, spread


class Comparisons(Copy):
    def h2(self, **changes):
        bar = {"figure": "idle connection, KiB", "key": "idle_kib", "arm": "i386-client HTTP/2", "bar": 8, "relation": "at most", "places": 1}
        return {"at": "2027-01-02T03:04:05Z", "machine": self.data()["footprint"]["machine"], "versions": {}, "left_out": {}, "failure": None,
                "missed": ["round 1, envoy HTTP/2: 900 requests a second of 1000"],
                "options": {"rate": 1000, "connections": 16, "streams": 4, "body": 1024, "idle": 1000, "envoy": "/home/somebody/envoy"},
                "rounds": {"i386-client HTTP/2": [{}, {}]},
                "bars": [{**bar, "measured": spread(8.1, 8.0, 8.2), "result": "missed"}, {**bar, "arm": "other", "measured": None, "result": "not measured"}],
                "figures": {"i386-client HTTP/2": {"idle_kib": spread(8.1, 8.0, 8.2), "peak_rss_mb": spread(26.0, 25.0, 27.0)},
                            "haproxy TCP": {"tcp_mb_s": spread(1000.4, 999.0, 1001.0)}}, **changes}

    def test_a_comparison_over_http2_is_published(self):
        self.forget(figures.BUSY)
        self.assertEqual((0, ""), self.run_it("take", "h2", self.measurement(self.h2())))
        page = self.page("docs/measurements/comparison.md")
        self.assertIn("16 connections of 4 streams, bodies of 1,024 bytes, 2 rounds", page)
        self.assertIn("Rates missed: round 1, envoy HTTP/2", page)
        self.assertRegex(page, r"\| idle connection, KiB \| i386-client HTTP/2 \| 8\.1 \(8\.0 \.\. 8\.2\) \| at most 8\.0 \| +\*\*missed\*\* \|")
        self.assertRegex(page, r"\| +other \| +\| at most 8\.0 \| not measured \|")
        self.assertRegex(page, r"\| haproxy TCP +\| +1,000 \(999 \.\. 1,001\) \|")
        self.assertNotIn("/home/somebody", self.page(figures.DATA))
        self.assertEqual((0, ""), self.run_it("check"))
        self.assertEqual(65, self.run_it("take", "h2", self.measurement(self.h2(failure="a request failed")))[0])

    def test_an_arm_that_failed_is_told_next_to_what_was_measured(self):
        failed = [{"round": 1, "arm": "haproxy HTTP/2", "why": "with a stalled stream, load did not end within 50 s"}]
        self.assertIn("Failed: haproxy HTTP/2: with a stalled stream, load did not end within 50 s", self.take("h2", self.h2(failed_arms=failed)))
        self.assertIn("haproxy mtls: load did not end within 50 s",
                      self.take("tls", self.over_tls(failed_arms=[{"round": 1, "arm": "haproxy mtls", "why": "load did not end within 50 s"}])))

    def faults(self, **changes):
        arms = {name: [{}] for name in ("i386-client", "envoy", "haproxy")}
        return {"at": "2027-01-02T03:04:05Z", "machine": self.data()["comparison"]["machine"], "failure": None, "versions": {},
                "options": {"rate": 1000, "connections": 64, "fault_seconds": 10.0, "envoy": "/home/somebody/envoy"}, "titles": {"kill": "killed"},
                "runs": {"kill": arms}, "headings": ["fault", "system", "failed"], "table": [["killed", "i386-client", "0"]],
                "bars": [{"fault": "kill", "arm": "i386-client", "bar": "failed requests", "measured": 0, "most": 0, "result": "met"}], **changes}

    def test_a_comparison_of_faults_is_published_beside_both_peers_only(self):
        self.assertEqual((0, ""), self.run_it("take", "faults", self.measurement(self.faults())))
        page = self.page("docs/measurements/comparison.md")
        for words in ("| killed | i386-client |      0 |", "faults of 10 s, rounds: 1. Measured 2027-01-02", "| failed requests |      0.0 |"):
            self.assertIn(words, page)
        self.assertNotIn("/home/somebody", self.page(figures.DATA))
        self.assertEqual((0, ""), self.run_it("check"))
        for changes, words in (({"runs": {"kill": {"i386-client": [{}], "envoy": [{}]}}}, "haproxy did not run"), ({"failure": "too long"}, "too long")):
            status, told = self.run_it("take", "faults", self.measurement(self.faults(**changes)))
            self.assertEqual(65, status)
            self.assertIn(words, told)

    def over_tls(self, **changes):
        spreads = {"i386-client plain": {"peak_rss_mb": spread(23.1, 22.9, 23.2)},
                   "i386-client OpenSSL mtls": {"peak_rss_mb": spread(28.6, 28.6, 28.6), "handshake_cpu_ms": spread(1.65, 1.64, 1.67)}}
        bar = {"figure": "idle connection, KiB", "key": "idle_kib", "arm": "i386-client OpenSSL mtls", "measured": spread(25.4, 25.3, 25.5), "most": 20.0,
               "places": 1, "result": "missed"}
        return {"at": "2027-01-02T03:04:05Z", "machine": self.data()["comparison"]["machine"], "failure": None, "versions": {}, "left_out": {},
                "options": {"rate": 1000, "connections": 16, "body": 1024, "newcomers": 100.0, "envoy": "/home/somebody/envoy"},
                "rounds": {"i386-client plain": [{}, {}]}, "figures": spreads, "bars": [bar], **changes}

    def test_a_comparison_over_tls_is_published_with_its_bars(self):
        self.assertEqual((0, ""), self.run_it("take", "tls", self.measurement(self.over_tls())))
        page = self.page("docs/measurements/comparison.md")
        for words in ("100 newcomers a second, 2 rounds", "Measured 2027-01-02", "| **missed** |", "25.4 (25.3 .. 25.5) |", "1.65 (1.64 .. 1.67)"):
            self.assertIn(words, page)
        self.assertNotIn("/home/somebody", self.page(figures.DATA))
        self.assertEqual((0, ""), self.run_it("check"))

    def test_a_bar_over_tls_without_a_figure_is_told(self):
        told = self.over_tls()
        told["bars"][0].update(measured=None, result="not measured")
        self.assertEqual((0, ""), self.run_it("take", "tls", self.measurement(told)))
        self.assertIn("| not measured |", self.page("docs/measurements/comparison.md"))

    def test_a_comparison_over_tls_that_stopped_is_not_published(self):
        status, told = self.run_it("take", "tls", self.measurement(self.over_tls(failure="a request failed")))
        self.assertEqual(65, status)
        self.assertIn("a request failed", told)

    def features(self, **more):
        bar = {"figure": "peak RSS, MB", "measured": spread(1.25, 1.1, 1.7), "most": 1.5, "places": 2, "result": "met"}
        return {"at": "2027-01-02T03:04:05Z", "machine": self.data()["comparison"]["machine"], "options": {"rate": 1000, "connections": 16, "body": 1024, "envoy": "/home/x"},
                "rounds": {"amd64-c1": [{}, {}], "amd64-c1+features": [{}, {}]}, "missed": [], "failure": None,
                "bars": [{**bar, "arm": "amd64-c1+features"}, {**bar, "arm": "amd64-c1+features", "figure": "in the closed loop, %", "result": "missed"},
                         {**bar, "arm": "amd64-c1+mesh", "figure": "of another arm"}], **more}

    def test_features_are_published_with_their_bars(self):
        page = self.take("features", self.features())
        for words in ("amd64-c1 | 1.25 (1.10 .. 1.70) |     1.5 |", "**missed** |", "| CPU per request in the closed loop above the image's, % |", "16 connections, bodies of 1,024 bytes, 2 rounds"):
            self.assertIn(words, page)
        self.assertNotIn("of another arm", page)
        bars = [*self.features()["bars"], {**self.features()["bars"][1], "measured": None, "result": "inconclusive"}]
        self.assertRegex(self.take("features", self.features(bars=bars)), r"\| amd64-c1 \| +\| +1\.5 \| inconclusive \|")
        self.assertEqual([65, 65], [self.take("features", self.features(**more)) for more in ({"bars": []}, {"failure": "no span"})])

    def added_cpu(self, **more):
        bar = {"figure": "added CPU per request, %", "arm": "i386-client+mesh", "measured": spread(6.6, 6.0, 7.6), "most": 10, "places": 1, "result": "met"}
        return {"at": "2027-01-02T03:04:05Z", "machine": self.data()["comparison"]["machine"], "failure": None,
                "options": {"connections": 64, "body": 1024, "blocks": 3, "seconds": 4, "rounds": 5, "busy": False, "reports": "/home/x"},
                "bars": [bar, {**bar, "arm": "i386-client+features", "measured": None, "result": "inconclusive"}], **more}

    def test_added_cpu_time_is_published_with_its_bars(self):
        self.assertEqual((0, ""), self.run_it("take", "added-cpu", self.measurement(self.added_cpu())))
        page = self.page("docs/measurements/bars.md")
        for words in (" 6.6 (6.0 .. 7.6) |", "5 rounds with 3 blocks of 4 s each", "| inconclusive |"):
            self.assertIn(words, page)
        self.assertNotIn("/home/x", self.page(figures.DATA))

    def test_a_run_next_to_a_competing_load_has_a_column_of_its_own(self):
        self.forget(figures.BUSY)
        quiet, busy = self.h2(), self.h2()
        busy["options"]["busy"] = True
        busy["bars"][0]["measured"] = spread(9.4, 9.0, 9.8)
        self.assertEqual((0, ""), self.run_it("take", "h2", self.measurement(quiet)))
        self.assertNotIn("with a competing load", self.page("docs/measurements/comparison.md"))
        self.assertEqual((0, ""), self.run_it("take", "h2", self.measurement(busy)))
        page = self.page("docs/measurements/comparison.md")
        self.assertRegex(page, r"\| i386-client HTTP/2 \| +8\.1 \(8\.0 \.\. 8\.2\) \| +\*\*9\.4 \(9\.0 \.\. 9\.8\)\*\* \| at most 8\.0 \|")
        self.assertRegex(page, r"\| +other \| +\| +\| at most 8\.0 \| not measured \|")
        self.assertIn("With a competing load on each core, 2 rounds. Measured 2027-01-02", page)

    def test_bars_over_tls_and_of_added_cpu_time_have_the_busy_column(self):
        for kind, told, name in (("added-cpu", self.added_cpu(), "bars"), ("tls", self.over_tls(), "comparison")):
            self.assertEqual((0, ""), self.run_it("take", kind, self.measurement(told)))
            told["options"]["busy"] = True
            self.assertEqual((0, ""), self.run_it("take", kind, self.measurement(told)))
            self.assertIn("| with a competing load |", self.page(f"docs/measurements/{name}.md"))

    def test_other_measurements_next_to_a_competing_load_are_not_published(self):
        told = self.features()
        told["options"]["busy"] = True
        status, why = self.run_it("take", "features", self.measurement(told))
        self.assertEqual(65, status)
        self.assertIn("competing load", why)
        self.assertEqual(65, self.run_it("take", "added-cpu", self.measurement(self.added_cpu(failure="a request failed")))[0])


if __name__ == "__main__":
    unittest.main()
