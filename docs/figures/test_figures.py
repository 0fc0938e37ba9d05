"""The published figures: the pages of this checkout, and copies of them that were tampered with."""
import json
import re
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import blocks
import figures
from copies import FILES, Copy, spread


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

    def test_a_new_peak_makes_its_page_stale(self):
        peaks = re.sub(r"(?m)^(i386-client rps-1000 1000) \d+", r"\1 35200000", self.page(figures.PEAKS))
        self.assertNotEqual(peaks, self.page(figures.PEAKS))
        (self.root / figures.PEAKS).write_text(peaks)
        self.assertIn("docs/images.md: its figures are not those of", self.run_it("check")[1])
        self.run_it("fill")
        self.assertIn("35.2 (38.8)", self.page("docs/images.md"))
        self.assertRegex(self.page("README.md"), r"(?m)^\| `i386-client` .* 38\.8 \|$")

    def test_a_block_that_was_removed_is_named(self):
        self.change("docs/measurements/bars.md", "<!-- figures:bars -->\n", "")
        self.assertEqual((1, "figures: docs/measurements/bars.md: the block figures:bars is missing\n"), self.run_it("check"))

    def test_a_block_that_nobody_knows_or_that_has_no_end(self):
        self.change("README.md", "figures:images", "figures:imagination")
        self.assertEqual((1, "figures: there is no block imagination\n"), self.run_it("check"))
        self.change("README.md", "figures:imagination", "figures:images")
        self.change("README.md", figures.END, "")
        self.assertEqual((1, "figures: the block images has no end\n"), self.run_it("fill"))

    def test_a_missed_bar_is_shown(self):
        data = self.data()
        data["comparison"]["figures"]["amd64-c1"]["peak_rss_mb"] = [50.1, 50.0, 50.2]
        (self.root / figures.DATA).write_text(json.dumps(data))
        self.run_it("fill")
        self.assertRegex(self.page("docs/measurements/bars.md"), r"peak RSS, MB +\| +50\.1 \(50\.0 \.\. 50\.2\) .*\*\*missed\*\*")

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

        self.assertIn("| 151 (151 .. 153) |", self.page("docs/measurements/comparison.md").replace("   ", ""))
        self.assertRegex(self.page("docs/measurements/comparison.md"), r"\| Envoy +\|.* +67\.9 \| +151 \|")
        self.assertRegex(self.page("README.md"), r"\| CPU per request, us +\| +\d+ \| +\d+ \| +151 \|")
        self.assertIn("Medians of 3 rounds on 2027-01-02,", self.page("README.md"))
        for path in ("docs/measurements/comparison.md", "docs/measurements/bars.md"):
            self.assertIn("3 rounds. Figures are", self.page(path))
            self.assertIn("Measured 2027-01-02 on", self.page(path))
        self.assertEqual((0, ""), self.run_it("check"))

    def test_what_was_said_of_the_former_measurement_goes_and_no_path_is_published(self):
        data = self.data()
        data["comparison"]["notes"] = ["A neighbour compiled meanwhile."]
        (self.root / figures.DATA).write_text(figures.as_json(data))
        self.run_it("fill")
        self.assertIn("A neighbour compiled meanwhile.", self.page("docs/measurements/comparison.md"))
        self.run_it("take", "comparison", self.measurement(self.comparison(missed=["round 2, envoy: 900 requests a second of 1000"])))
        self.assertNotIn("A neighbour compiled meanwhile.", self.page("docs/measurements/comparison.md"))
        self.assertIn("Rates missed: round 2, envoy", self.page("docs/measurements/comparison.md"))
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

        page = self.page("docs/measurements/footprint.md")
        self.assertRegex(page, r"(?m)^\| 1,000 +\| 42\.0 \(41\.0 \.\. 43\.0\) \* \| +42\.0 \(41\.0 \.\. 43\.0\) \|.*$")
        self.assertRegex(page, r"(?m)^\| 1,000 +\| 200 \(100 \.\. 300\) \* \| +200 \(100 \.\. 300\) \|.*$")
        self.assertIn("\\* The load missed this rate by more than 1 %.", page)
        self.assertRegex(self.page("docs/measurements/bars.md"), r"time in the proxy p99 [^|]+\| +200 \(100 \.\. 300\) \|")
        self.assertRegex(page, r"\| the same with 32 bits +\| +\| +42\.0 \| +\| +1\.0 \|")

    def report(self, **changes):
        rows = {"time in the proxy, p99": 0.3149, "time in the proxy, p999": 2.04, "private": 9.24, "working set": 17.88,
                "peak RSS": 34.04, "CPU": 8.6, "failed requests": 0}
        return {"verdict": "pass", "reasons": [], "at": "2027-01-02T03:04:05Z", "plan": {"image": "i386"}, "system": {"kind": "container"},
                "rows": [{"name": name, "value": value} for name, value in rows.items()], **changes}

    def test_a_verdict_replaces_that_on_its_image_only(self):
        other = self.rows_but("`remora:i386`")
        self.assertTrue(other)
        self.assertEqual((0, ""), self.run_it("take", "conformance", self.measurement(self.report())))
        self.assertRegex(self.page("docs/measurements/conformance.md"), r"\| `remora:i386` +\| +pass \| +0\.31 \| +2\.0 \| +9\.2 \| +17\.9 \| +34\.0 \| +9 \| 2027-01-02 \|")
        self.assertEqual(other, self.rows_but("`remora:i386`"))

    def rows_but(self, name):
        """The cells of each verdict on its page but of that one, however wide its columns are."""
        rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in self.page("docs/measurements/conformance.md").splitlines() if line.startswith("| `remora:")]
        return [row for row in rows if row[0] != name]

    def test_a_verdict_with_tls_has_a_row_of_its_own(self):
        plain = self.rows_but("`remora:i386`, mTLS by OpenSSL")
        told = self.report(plan={"image": "i386", "tls": "mtls"}, system={"kind": "container", "tls": {"engine": "OpenSSL", "bits": 32}})
        self.assertEqual((0, ""), self.run_it("take", "conformance", self.measurement(told)))
        page = self.page("docs/measurements/conformance.md")
        self.assertRegex(page, r"\| `remora:i386`, mTLS by OpenSSL +\| +pass \| +0\.31 \| +2\.0 \| +9\.2 \| +17\.9 \| +34\.0 \| +9 \| 2027-01-02 \|")
        self.assertEqual(plain, self.rows_but("`remora:i386`, mTLS by OpenSSL"))
        self.assertEqual((0, ""), self.run_it("check"))

    def test_a_verdict_without_tls_leaves_the_rows_with_it(self):
        told = self.report(plan={"image": "i386", "tls": "tls"}, system={"kind": "container", "tls": {"engine": "JDK", "bits": 32}})
        self.run_it("take", "conformance", self.measurement(told))
        self.assertEqual((0, ""), self.run_it("take", "conformance", self.measurement(self.report(plan={"image": "i386", "tls": "off"}))))
        self.assertRegex(self.page("docs/measurements/conformance.md"), r"\| `remora:i386`, TLS by JDK +\| +pass ")

    def test_a_verdict_over_another_protocol_has_a_row_of_its_own(self):
        plain = self.rows_but("`remora:i386`, gRPC")
        self.assertEqual((0, ""), self.run_it("take", "conformance", self.measurement(self.report(plan={"image": "i386", "protocol": "grpc"}))))
        self.assertRegex(self.page("docs/measurements/conformance.md"), r"\| `remora:i386`, gRPC +\| +pass \| +0\.31 ")
        self.assertEqual(plain, self.rows_but("`remora:i386`, gRPC"))
        self.run_it("take", "conformance", self.measurement(self.report(plan={"image": "compact3", "tls": "mtls", "protocol": "h2"},
                                                                       system={"kind": "container", "tls": {"engine": "AWS-LC", "bits": 64}})))
        self.assertRegex(self.page("docs/measurements/conformance.md"), r"\| `remora:compact3`, mTLS by AWS-LC, HTTP/2 +\| +pass \| +0\.31 ")

    def test_a_verdict_with_several_endpoints_has_a_row_of_its_own(self):
        plain = self.rows_but("`remora:i386`, mesh")
        told = self.report(plan={"image": "i386", "tls": "off", "features": "mesh"})
        self.assertEqual((0, ""), self.run_it("take", "conformance", self.measurement(told)))
        page = self.page("docs/measurements/conformance.md")
        self.assertRegex(page, r"\| `remora:i386`, mesh +\| +pass \| +0\.31 \| +2\.0 \| +9\.2 \| +17\.9 \| +34\.0 \| +9 \| 2027-01-02 \|")
        self.assertEqual(plain, self.rows_but("`remora:i386`, mesh"))

    def test_a_verdict_without_a_figure_is_not_published(self):
        for name in ("CPU", "working set"):
            rows = [row for row in self.report()["rows"] if row["name"] != name]
            with self.subTest(name):
                status, told = self.run_it("take", "conformance", self.measurement(self.report(rows=rows)))
                self.assertEqual(65, status)
                self.assertIn(f"it lacks {name}", told)


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
