"""The published figures: the pages of this checkout, and copies of them that were tampered with."""
import contextlib
import io
import json
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import blocks
import figures

FILES = (*figures.PAGES, figures.DATA, figures.PEAKS)


def spread(median, low, high):
    return {"median": median, "low": low, "high": high}


class Copy(unittest.TestCase):
    """The pages and the data in a directory of their own."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = Path(directory.name)
        for file in FILES:
            (self.root / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(figures.ROOT / file, self.root / file)

    def run_it(self, *words):
        """The exit status, and what was written to standard error."""
        with contextlib.redirect_stderr(io.StringIO()) as told, contextlib.redirect_stdout(io.StringIO()):
            status = figures.main(list(map(str, words)), self.root)
        return status, told.getvalue()

    def page(self, path):
        return (self.root / path).read_text()

    def data(self):
        return json.loads(self.page(figures.DATA))

    def change(self, path, old, new):
        text = self.page(path)
        self.assertIn(old, text)
        (self.root / path).write_text(text.replace(old, new))

    def measurement(self, told):
        file = self.root / "measurement.json"
        file.write_text(json.dumps(told))
        return file


class Check(Copy):
    def test_the_pages_of_this_checkout_are_current(self):
        self.assertEqual((0, ""), self.run_it("check"))

    def test_a_figure_changed_by_hand_is_named_and_put_right(self):
        for path in figures.PAGES:
            with self.subTest(path):
                before = self.page(path)
                # the first figure of the first block's last line
                block = before.index("-->", before.index("<!-- figures:"))
                end = before.index(figures.END, block)
                digit = next((at for at in range(end, block, -1) if before[at].isdigit()), None)
                if digit is None:
                    self.assertIn("No result has been published yet.", before[block:end])
                    continue
                (self.root / path).write_text(before[:digit] + ("1" if before[digit] != "1" else "2") + before[digit + 1:])

                status, told = self.run_it("check")
                self.assertEqual(1, status)
                self.assertIn(f"{path}: its figures are not those of", told)

                self.assertEqual(0, self.run_it("fill")[0])
                self.assertEqual(before, self.page(path))

    def test_a_new_peak_makes_the_readme_stale(self):
        peaks = re.sub(r"(?m)^(i386-client rps-1000 1000) \d+", r"\1 35200000", self.page(figures.PEAKS))
        self.assertNotEqual(peaks, self.page(figures.PEAKS))
        (self.root / figures.PEAKS).write_text(peaks)
        self.assertIn("README.md: its figures are not those of", self.run_it("check")[1])
        self.run_it("fill")
        self.assertIn("35.2 (38.8)", self.page("README.md"))

    def test_a_block_that_was_removed_is_named(self):
        self.change("proxy/DESIGN.md", "<!-- figures:bars -->\n", "")
        self.assertEqual((1, "figures: proxy/DESIGN.md: the block figures:bars is missing\n"), self.run_it("check"))

    def test_a_block_that_nobody_knows_or_that_has_no_end(self):
        self.change("README.md", "figures:profiles", "figures:prophylaxis")
        self.assertEqual((1, "figures: there is no block prophylaxis\n"), self.run_it("check"))
        self.change("README.md", "figures:prophylaxis", "figures:profiles")
        self.change("README.md", figures.END, "")
        self.assertEqual((1, "figures: the block conformance has no end\n"), self.run_it("fill"))

    def test_a_missed_bar_is_shown(self):
        data = self.data()
        data["comparison"]["figures"]["amd64-c1"]["peak_rss_mb"] = [50.1, 50.0, 50.2]
        (self.root / figures.DATA).write_text(json.dumps(data))
        self.run_it("fill")
        self.assertRegex(self.page("proxy/DESIGN.md"), r"peak RSS at 1,000 [^|]+\| +50\.1 \(50\.0 \.\. 50\.2\) .*\*\*missed\*\*")

    def test_wrong_words(self):
        for words in ((), ("fil",), ("take",), ("take", "density", "x")):
            self.assertEqual(64, self.run_it(*words)[0])


class Take(Copy):
    def comparison(self, **changes):
        present = self.data()["comparison"]
        named = {name: {key: spread(*values) for key, values in by_key.items()} for name, by_key in present["figures"].items()}
        named["envoy"] |= {"peak_rss_mb": spread(67.9, 67.5, 68.4), "closed_rss_mb": spread(65.9, 65.1, 66.2), "cpu_us": spread(151.4, 150.6, 153.2)}
        ratios = {reference: {name: {key: spread(*values) for key, values in by_key.items()} for name, by_key in by_name.items()}
                  for reference, by_name in present["ratios"].items()}
        return {"at": "2027-01-02T03:04:05Z", "machine": present["machine"], "versions": present["versions"], "left_out": {}, "missed": [],
                "options": {**present["options"], "envoy": "/home/somebody/envoy"}, "failure": None, "figures": named, "ratios": ratios,
                "rounds": {name: [{}, {}, None] for name in named}, **changes}

    def test_a_comparison_reaches_every_page_that_shows_it(self):
        self.assertEqual((0, ""), self.run_it("take", "comparison", self.measurement(self.comparison())))

        self.assertIn("| 151 (151 .. 153) |", self.page("docs/comparison.md").replace("   ", ""))
        self.assertRegex(self.page("README.md"), r"\| Envoy +\| +67\.9 \| .* \| +151 \|")
        for path in ("README.md", "docs/comparison.md", "proxy/DESIGN.md"):
            self.assertIn("3 rounds; figures are", self.page(path))
            self.assertIn("Measured 2027-01-02 on", self.page(path))
        self.assertEqual((0, ""), self.run_it("check"))

    def test_what_was_said_of_the_former_measurement_goes_and_no_path_is_published(self):
        data = self.data()
        data["comparison"]["notes"] = ["A neighbour compiled meanwhile."]
        (self.root / figures.DATA).write_text(figures.as_json(data))
        self.run_it("fill")
        self.assertIn("A neighbour compiled meanwhile.", self.page("docs/comparison.md"))
        self.run_it("take", "comparison", self.measurement(self.comparison(missed=["round 2, envoy: 900 requests a second of 1000"])))
        self.assertNotIn("A neighbour compiled meanwhile.", self.page("docs/comparison.md"))
        self.assertIn("Rates missed: round 2, envoy", self.page("docs/comparison.md"))
        self.assertNotIn("/home/somebody", self.page(figures.DATA))

    def test_a_measurement_that_stopped_is_not_published(self):
        before = {file: self.page(file) for file in FILES}
        for kind, result in (("comparison", {"failure": "a request failed"}), ("footprint", {"failure": "a request failed"}),
                             ("conformance", self.report(verdict="inconclusive", reasons=["a request failed"]))):
            status, told = self.run_it("take", kind, self.measurement(result))
            self.assertEqual(65, status)
            self.assertIn("a request failed", told)
        self.assertEqual(before, {file: self.page(file) for file in FILES})

    def test_a_footprint_is_the_median_of_its_runs(self):
        runs = [{"arm": arm, "rate": rate, "round": number, "rate_missed": arm == "host" and number == 2 and rate == 1000,
                 "peak_rss_mb": 40 + number, "cpu_percent": 1.0, "own_p99_us": None if rate == 0 else 100.0 * number,
                 "own_p999_us": None if rate == 0 else 200.0}
                for arm in ("host", "amd64-c1", "i386-client") for rate in (0, 1000) for number in (1, 2, 3)]
        told = {"at": "2027-01-02T03:04:05Z", "machine": self.data()["footprint"]["machine"], "failure": None, "left_out": {},
                "options": {"connections": 16, "body": 1024, "seconds": 5, "warmup": 4}, "runs": runs}
        self.assertEqual((0, ""), self.run_it("take", "footprint", self.measurement(told)))

        page = self.page("docs/footprint.md")
        self.assertRegex(page, r"(?m)^\| 1,000 +\| 42\.0 \(41\.0 \.\. 43\.0\) \* \| +42\.0 \(41\.0 \.\. 43\.0\) \|.*$")
        self.assertRegex(page, r"(?m)^\| 1,000 +\| 200 \(100 \.\. 300\) \* \| +200 \(100 \.\. 300\) \|.*$")
        self.assertIn("\\* The load missed this rate by more than 1 %.", page)
        self.assertRegex(self.page("proxy/DESIGN.md"), r"time in the proxy p99 [^|]+\| +200 \(100 \.\. 300\) \|")
        self.assertRegex(self.page("README.md"), r"\| `host` +\| 42\.0 \| 42\.0 \* \|")
        self.assertRegex(self.page("README.md"), r"\| the same with 32 bits +\| +\| +42\.0 \| +\| +1\.0 \|")

    def report(self, **changes):
        rows = {"time in the proxy, p99": 0.3149, "time in the proxy, p999": 2.04, "peak RSS": 34.04, "CPU": 8.6, "failed requests": 0}
        return {"verdict": "pass", "reasons": [], "at": "2027-01-02T03:04:05Z", "plan": {"image": "i386"}, "system": {"kind": "container"},
                "rows": [{"name": name, "value": value} for name, value in rows.items()], **changes}

    def test_a_verdict_replaces_that_on_its_image_only(self):
        other = self.rows_but("`remora:i386`")
        self.assertTrue(other)
        self.assertEqual((0, ""), self.run_it("take", "conformance", self.measurement(self.report())))
        self.assertRegex(self.page("README.md"), r"\| `remora:i386` +\| +pass \| +0\.31 \| +2\.0 \| +34\.0 \| +9 \| 2027-01-02 \|")
        self.assertEqual(other, self.rows_but("`remora:i386`"))

    def rows_but(self, name):
        """The cells of each verdict on README's page but of that one, however wide its columns are."""
        rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in self.page("README.md").splitlines() if line.startswith("| `remora:")]
        return [row for row in rows if row[0] != name]

    def test_a_verdict_with_tls_has_a_row_of_its_own(self):
        plain = self.rows_but("`remora:i386`, mTLS by OpenSSL")
        told = self.report(plan={"image": "i386", "tls": "mtls"}, system={"kind": "container", "tls": {"engine": "OpenSSL", "bits": 32}})
        self.assertEqual((0, ""), self.run_it("take", "conformance", self.measurement(told)))
        page = self.page("README.md")
        self.assertRegex(page, r"\| `remora:i386`, mTLS by OpenSSL +\| +pass \| +0\.31 \| +2\.0 \| +34\.0 \| +9 \| 2027-01-02 \|")
        self.assertEqual(plain, self.rows_but("`remora:i386`, mTLS by OpenSSL"))
        self.assertEqual((0, ""), self.run_it("check"))

    def test_a_verdict_without_tls_leaves_the_rows_with_it(self):
        told = self.report(plan={"image": "i386", "tls": "tls"}, system={"kind": "container", "tls": {"engine": "JDK", "bits": 32}})
        self.run_it("take", "conformance", self.measurement(told))
        self.assertEqual((0, ""), self.run_it("take", "conformance", self.measurement(self.report(plan={"image": "i386", "tls": "off"}))))
        self.assertRegex(self.page("README.md"), r"\| `remora:i386`, TLS by JDK +\| +pass ")

    def test_a_verdict_over_another_protocol_has_a_row_of_its_own(self):
        plain = self.rows_but("`remora:i386`, gRPC")
        self.assertEqual((0, ""), self.run_it("take", "conformance", self.measurement(self.report(plan={"image": "i386", "protocol": "grpc"}))))
        self.assertRegex(self.page("README.md"), r"\| `remora:i386`, gRPC +\| +pass \| +0\.31 ")
        self.assertEqual(plain, self.rows_but("`remora:i386`, gRPC"))

    def h2(self, **changes):
        bar = {"figure": "idle connection, KiB", "key": "idle_kib", "arm": "i386-client HTTP/2", "bar": 8, "relation": "at most", "places": 1}
        return {"at": "2027-01-02T03:04:05Z", "machine": self.data()["footprint"]["machine"], "versions": {}, "left_out": {}, "failure": None,
                "missed": ["round 1, envoy HTTP/2: 900 requests a second of 1000"],
                "options": {"rate": 1000, "connections": 16, "streams": 4, "body": 1024, "idle": 1000, "envoy": "/home/somebody/envoy"},
                "rounds": {"i386-client HTTP/2": [{}, {}]},
                "bars": [{**bar, "measured": spread(8.1, 8.0, 8.2), "result": "missed"}, {**bar, "arm": "other", "measured": None, "result": "not measured"}],
                "figures": {"i386-client HTTP/2": {"idle_kib": spread(8.1, 8.0, 8.2), "peak_rss_mb": spread(26.0, 25.0, 27.0)},
                            "haproxy TCP": {"tcp_mb_s": spread(1000.4, 999.0, 1001.0)}}, **changes}

    def test_a_comparison_over_http2_reaches_both_pages(self):
        self.assertEqual((0, ""), self.run_it("take", "h2", self.measurement(self.h2())))
        for path in ("docs/comparison.md", "docs/http2.md"):
            self.assertIn("16 connections of 4 streams, bodies of 1,024 bytes, 2 rounds", self.page(path))
            self.assertIn("Rates missed: round 1, envoy HTTP/2", self.page(path))
            self.assertRegex(self.page(path), r"\| idle connection, KiB \| i386-client HTTP/2 \| 8\.1 \(8\.0 \.\. 8\.2\) \| at most 8\.0 \| +\*\*missed\*\* \|")
            self.assertRegex(self.page(path), r"\| +other \| +\| at most 8\.0 \| not measured \|")
        self.assertRegex(self.page("docs/comparison.md"), r"\| haproxy TCP +\| +1,000 \(999 \.\. 1,001\) \|")
        self.assertNotIn("/home/somebody", self.page(figures.DATA))
        self.assertEqual((0, ""), self.run_it("check"))
        self.assertEqual(65, self.run_it("take", "h2", self.measurement(self.h2(failure="a request failed")))[0])

    def test_a_verdict_with_several_endpoints_has_a_row_of_its_own(self):
        plain = self.rows_but("`remora:i386`, mesh")
        told = self.report(plan={"image": "i386", "tls": "off", "features": "mesh"})
        self.assertEqual((0, ""), self.run_it("take", "conformance", self.measurement(told)))
        page = self.page("README.md")
        self.assertRegex(page, r"\| `remora:i386`, mesh +\| +pass \| +0\.31 \| +2\.0 \| +34\.0 \| +9 \| 2027-01-02 \|")
        self.assertEqual(plain, self.rows_but("`remora:i386`, mesh"))

    def faults(self, **changes):
        arms = {name: [{}] for name in ("i386-client", "envoy", "haproxy")}
        return {"at": "2027-01-02T03:04:05Z", "machine": self.data()["comparison"]["machine"], "failure": None, "versions": {},
                "options": {"rate": 1000, "connections": 64, "fault_seconds": 10.0, "envoy": "/home/somebody/envoy"}, "titles": {"kill": "killed"},
                "runs": {"kill": arms}, "headings": ["fault", "system", "failed"], "table": [["killed", "i386-client", "0"]],
                "bars": [{"fault": "kill", "arm": "i386-client", "bar": "failed requests", "measured": 0, "most": 0, "result": "met"}], **changes}

    def test_a_comparison_of_faults_is_published_beside_both_peers_only(self):
        self.assertEqual((0, ""), self.run_it("take", "faults", self.measurement(self.faults())))
        page = self.page("docs/comparison.md")
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
        page = self.page("docs/comparison.md")
        for words in ("100 newcomers a second, 2 rounds", "Measured 2027-01-02", "| **missed** |", "25.4 (25.3 .. 25.5) |", "1.65 (1.64 .. 1.67)"):
            self.assertIn(words, page)
        self.assertNotIn("/home/somebody", self.page(figures.DATA))
        self.assertEqual((0, ""), self.run_it("check"))

    def test_a_comparison_over_tls_that_stopped_is_not_published(self):
        status, told = self.run_it("take", "tls", self.measurement(self.over_tls(failure="a request failed")))
        self.assertEqual(65, status)
        self.assertIn("a request failed", told)

    def storms(self, limit_mib=64, **changes):
        one = {"killed": False, "percent": 71.6, "answered_percent": 99.2, "ok_percent": 45.0, "recovered_s": 0.1, "gc_percent": 1.7, "lag_p99_ms": 50.0,
               "missed": [], "most_bytes": 48_000_000, **changes}
        return {"at": "2027-01-02T03:04:05Z", "machine": self.data()["comparison"]["machine"], "seconds": 20,
                "results": {f"i386-client, {limit_mib} MiB": {"proxy": "i386-client", "limit": limit_mib << 20, "10,000 idle": one}}}

    def test_storms_are_published_by_proxy_and_limit(self):
        data = self.data()
        data.pop("storms", None)
        (self.root / figures.DATA).write_text(figures.as_json(data))
        for told in (self.storms(), self.storms(128, percent=96.0, missed=["96 % of the limit"]), self.storms(percent=44.0)):
            self.assertEqual((0, ""), self.run_it("take", "storms", self.measurement(told)))
        page = self.page("docs/comparison.md")
        for words in ("| i386-client, 64 MiB ", " 44; 99 |", " **96; 99** |", "- i386-client, 128 MiB, 10,000 idle, 20 s: 96 % of the limit.", " | 10,000 idle, 20 s |", "Measured 2027-01-02 on "):
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
        found = self.published(self.storms(), several)["storms"]
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
        page = self.page("docs/comparison.md")
        self.assertIn("| 2027-01-02 .. 2027-02-03 |", page)

    def test_each_storm_is_told_with_its_seconds(self):
        data = self.data()
        data.pop("storms", None)
        (self.root / figures.DATA).write_text(figures.as_json(data))
        self.published(self.of_two(seconds=15), {**self.of_two(), "seconds": 120, "results": {"i386-client, 96 MiB": {
            "proxy": "i386-client", "limit": 96 << 20, "all together": self.of_two()["results"]["i386-client, 96 MiB"]["all together"]}}})
        self.assertIn("| 10,000 idle, 15 s | all together, 120 s |", self.page("docs/comparison.md"))
        # in the cells, where a column has several
        self.published(self.storms(64, seconds=30.0))
        page = self.page("docs/comparison.md")
        for words in (" 10,000 idle | all together, 120 s |", " 72; 99; 15 s |", " 72; 99; 30 s |"):
            self.assertIn(words, page)

    def test_storms_of_another_machine_are_told_with_it(self):
        other = {"cpu": "Other", "cores": 64, "kernel": "7.0"}
        self.published(self.storms(96), {**self.storms(24), "machine": other})
        page = self.page("docs/comparison.md")
        self.assertIn("Measured 2027-01-02 on 64 cores (Other), Linux 7.0: i386-client, 24 MiB.", page)
        self.assertIn("; i386-client, 96 MiB; ", page)

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
        self.assertIn(" killed |", self.page("docs/comparison.md"))

    def test_a_killed_proxy_has_no_other_figure(self):
        self.run_it("take", "storms", self.measurement(self.storms(killed=True, missed=["killed"])))
        self.assertIn(" **killed** |", self.page("docs/comparison.md"))

    def test_bursts_stand_beside_storms(self):
        burst = self.storms()
        burst["results"] = {"i386-client, 256 MiB": {"proxy": "i386-client", "limit": 256 << 20, "10,000 connections": {"before_mb": 23.0, "peak_mb": 51.2, "after_mb": 24.1, "missed": []}}}
        for told in (self.storms(), burst):
            self.assertEqual((0, ""), self.run_it("take", "storms", self.measurement(told)))
        page = self.page("docs/comparison.md")
        for words in ("| i386-client, 256 MiB ", "51.2 ", " 72; 99; 20 s |"):
            self.assertIn(words, page)

    def take(self, kind, told):
        status, text = self.run_it("take", kind, self.measurement(told))
        return status if status else self.page("docs/comparison.md")

    def features(self, **more):
        bar = {"figure": "peak RSS, MB", "measured": spread(1.25, 1.1, 1.7), "most": 1.5, "places": 2, "result": "met"}
        return {"at": "2027-01-02T03:04:05Z", "machine": self.data()["comparison"]["machine"], "options": {"rate": 1000, "connections": 16, "body": 1024, "envoy": "/home/x"},
                "rounds": {"amd64-c1": [{}, {}], "amd64-c1+features": [{}, {}]}, "missed": [], "failure": None,
                "bars": [{**bar, "arm": "amd64-c1+features"}, {**bar, "arm": "amd64-c1+features", "figure": "in the closed loop, %", "result": "missed"},
                         {**bar, "arm": "amd64-c1+mesh", "figure": "of another arm"}], **more}

    def test_features_are_published_with_their_bars(self):
        page = self.take("features", self.features())
        for words in ("amd64-c1 | 1.25 (1.10 .. 1.70) |     1.5 |", "**missed** |", "16 connections, bodies of 1,024 bytes, 2 rounds"):
            self.assertIn(words, page)
        self.assertNotIn("of another arm", page)
        self.assertEqual([65, 65], [self.take("features", self.features(**more)) for more in ({"bars": []}, {"failure": "no span"})])

    def soak(self, kind="reload", **more):
        return {"at": "2027-01-02T03:04:05Z", "options": {"kind": kind, "image": "i386-client", "minutes": 10.0, "command": None}, "verdict": "pass", "reasons": [],
                "rows": [{"name": "RSS growth", "value": 0.123}], "took_s": [0.01, 0.0425], "requests": 600_000, "came": 30_000, "lost": 0, "came_lost": 0, **more}

    def test_soaks_of_changes_stand_beside_one_another(self):
        self.take("changes", self.soak(lost=3, verdict="fail"))
        self.take("changes", self.soak("takeover"))
        page = self.take("changes", self.soak())
        for words in ("| reloads of i386-client ", "| takeovers of i386-client ", " 630,000 |", " 42 |"):
            self.assertIn(words, page)
        self.assertNotIn("**fail** | 2027-01-02", page)
        self.assertEqual([65, 65], [self.take("changes", self.soak(**more)) for more in ({"verdict": "inconclusive"}, {"options": {**self.soak()["options"], "command": "x"}})])

    def test_the_first_second_is_published_with_its_steady_one(self):
        row = {"failed": 0, "ready_ms": 300.0, "first_p99_ms": 20.5, "steady_p99_ms": 1.0, "times": 20.5, "rss_mb": 25.0}
        told = {"at": "2027-01-02T03:04:05Z", "machine": self.data()["comparison"]["machine"], "options": {"image": "host", "starts": 2, "rate": 1000, "connections": 16},
                "status": 0, "told": "met", "starts": {"without": [row, {**row, "times": 30.0}], "with warm-up": [{**row, "times": 1.5}] * 2}}
        page = self.take("warm-up", told)
        for words in ("| host, without      |", "25.25 (20.50 .. 30.00)", "| host, with warm-up |", "2 starts of each"):
            self.assertIn(words, page)
        self.assertEqual(65, self.take("warm-up", {**told, "status": 2}))

    def test_a_verdict_without_a_figure_is_not_published(self):
        rows = [row for row in self.report()["rows"] if row["name"] != "CPU"]
        status, told = self.run_it("take", "conformance", self.measurement(self.report(rows=rows)))
        self.assertEqual(65, status)
        self.assertIn("it lacks CPU", told)


class Limits(unittest.TestCase):
    def select(self, image, profile_rps, limit):
        words = [figures.ROOT / "jvm-profiles/select", "--rps", str(profile_rps), "--memory", str(limit), "--image", image]
        return subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60).returncode

    def test_the_least_limit_is_the_one_that_the_launcher_accepts(self):
        for image, _, rps, peak in figures.read_peaks(figures.ROOT):
            with self.subTest(image=image, rps=rps):
                limit = blocks.least_limit(peak)
                self.assertEqual((0, 78), (self.select(image, rps, limit), self.select(image, rps, limit - 1)))
                self.assertGreaterEqual(float(blocks.rounded_up(limit)) * 1e6, limit)


if __name__ == "__main__":
    unittest.main()
