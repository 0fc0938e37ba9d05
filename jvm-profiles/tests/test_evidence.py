"""The evidence's arithmetic, its plan and its pages, without load."""
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from remora_measure import spread
from remora_measure.evidence import bars, effects, families, page, peaks, runner, tables
from remora_measure.evidence.variants import SHORT, Family, Variant
from remora_measure.profiles import flag_files
from remora_measure.profiles.lint import EVIDENCE_ROW

PROFILES = Path(__file__).resolve().parent.parent
JAVA = f"{os.environ['JAVA_HOME']}/bin/java" if os.environ.get("JAVA_HOME") else "java"
BASE = "i386-client rps-1000"
MACHINE = {"cpu": "some CPU", "cores": 2, "kernel": "6.1", "memory_gib": 24, "versions": {"nginx": "1.22.1"}}


def records(key, *values):
    return [{key: value} for value in values]


def run(arm, number, **figures):
    """A run as it lies on file."""
    found = {"family": "flags-i386-client", "arm": arm, "round": number, "identity": ["i386-client", "rps-1000", [], 1000, 16, "1"],
             "against": "" if arm == BASE else BASE, "rows": [], "what": "", "topic": "", "at": "2026-01-02T03:04:05Z", "load1": 0.5,
             "windows": [4, 3, 5], "rss_mb": 33.0, "anon_mb": 20.0, "file_mb": 13.0, "cpu_us": 120.0, "p99_us": 300.0,
             "p999_us": 900.0, "start_s": 0.2, "rps": 1000.0, "steal_share": 0.01, "hiccup_max_ms": 3.0, "hiccups_over_5ms": 0,
             "requests_failed": 0, "rss_scraped_mb": 34.04, "archive": True, "machine": MACHINE}
    return {**found, **figures}


class VerdictTest(unittest.TestCase):
    def test_median_and_range(self):
        self.assertEqual((3, 1, 9), spread.of([9, 1, 3]))
        self.assertEqual((2.5, 1, 4), spread.of([1, 2, 3, 4]))
        self.assertIsNone(spread.of([]))

    def test_what_gains_beyond_the_spread_is_kept(self):
        found = effects.judge(records("rss_mb", 33.0, 33.2, 33.1), records("rss_mb", 34.0, 34.3, 34.1))
        self.assertTrue(found.kept)
        self.assertEqual("kept: RSS −1.0 MB", str(found))

    def test_ranges_that_touch_are_within_the_spread(self):
        found = effects.judge(records("rss_mb", 33.0, 34.0), records("rss_mb", 34.0, 35.0))
        self.assertEqual("drop: no effect beyond the spread", str(found))

    def test_what_only_bounds_is_kept_and_says_so(self):
        found = effects.judge(records("rss_mb", 33.0, 33.2), records("rss_mb", 33.1, 33.3), "the heap")
        self.assertEqual("kept: bounds the heap, no effect beyond the spread", str(found))

    def test_what_only_costs_is_dropped(self):
        found = effects.judge(records("cpu_us", 130.0, 131.0), records("cpu_us", 120.0, 121.0))
        self.assertEqual("drop: costs CPU +10.0 us, gains nothing", str(found))

    def test_what_gains_and_costs_tells_both(self):
        with_it = [{"rss_mb": 33.0, "cpu_us": 130.0}]
        found = effects.judge(with_it, [{"rss_mb": 34.0, "cpu_us": 120.0}])
        self.assertEqual("kept: RSS −1.0 MB (costs CPU +10.0 us)", str(found))

    def test_a_change_below_the_shown_digits_is_not_shown_as_none(self):
        self.assertEqual("RSS −0.02 MB", str(effects.Effect("rss_mb", -0.02)))

    def test_a_gain_anywhere_keeps_a_flag(self):
        drop, bound, gain = (effects.Verdict(*one) for one in ((False, "no"), (True, "bounds the heap"), (True, "RSS −1.0 MB")))
        self.assertEqual(gain, effects.overall([drop, bound, gain]))
        self.assertEqual(bound, effects.overall([drop, bound]))
        self.assertEqual(drop, effects.overall([drop, drop]))


class PlanTest(unittest.TestCase):
    def test_options_are_those_that_select_prints(self):
        for image, engine in flag_files.engines().items():
            profile = "rps-1000" if engine == flag_files.DEFAULT_ENGINE else f"{engine}-rps-1000"
            command = [PROFILES / "select", "--image", image, "--profile", profile, "--options"]
            lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
            self.assertEqual([line for line in lines if not line.startswith("#")], list(flag_files.options(image, profile)), image)

    def test_every_flag_of_every_profile_file_has_a_row(self):
        rows = {row for family in families.all_families() for variant in family.variants for row in variant.rows}
        names = {line.split()[-1] for path in PROFILES.iterdir() if path.name.startswith(("common", "rps-"))
                 for line in path.read_text().splitlines() if line.startswith("# evidence:")}
        self.assertEqual(set(), names - rows)

    def test_an_arm_goes_without_its_flags_only(self):
        family = next(family for family in families.all_families() if family.name == "flags-i386-client")
        whole = family.variants[0]
        for arm in family.variants[1:]:
            missing = [option for option in whole.options if option not in arm.options]
            self.assertEqual(arm.what.split() if arm.arenas else [], missing, arm.name)

    def test_arms_have_names_of_their_own_and_are_compared_within_their_family(self):
        for family in families.all_families():
            names = [arm.name for arm in family.variants]
            self.assertEqual(len(set(names)), len(names))
            self.assertEqual(set(), {arm.against for arm in family.variants if arm.against} - set(names))


class ResumeTest(unittest.TestCase):
    family = Family("some", (Variant("a", options=("-Xmx8m",)), Variant("b")), 2, SHORT)

    def on_file(self, arm, number):
        return {"arm": arm.name, "round": number, "identity": json.loads(json.dumps(arm.identity()))}

    def test_rounds_go_through_all_arms(self):
        remaining = [(number, arm.name) for number, arm in runner.still_to_run(self.family, 2, [])]
        self.assertEqual([(1, "a"), (1, "b"), (2, "a"), (2, "b")], remaining)

    def test_what_is_on_file_is_not_measured_again(self):
        done = [self.on_file(arm, 1) for arm in self.family.variants] + [self.on_file(self.family.variants[1], 2)]
        self.assertEqual([(2, self.family.variants[0])], runner.still_to_run(self.family, 2, done))

    def test_runs_with_other_options_are_not_mixed_with(self):
        with self.assertRaises(SystemExit):
            runner.still_to_run(self.family, 2, [self.on_file(Variant("a", options=("-Xmx9m",)), 1)])


class CodeCacheTest(unittest.TestCase):
    def test_a_real_jvm_is_understood(self):
        told = subprocess.run([JAVA, "-XX:ReservedCodeCacheSize=8m", "-XX:+PrintCodeCache", "-version"], capture_output=True, text=True)
        found = runner.code_cache(told.stdout)
        size, most = found["code_cache_kib"]["CodeCache"]
        self.assertEqual(8192, size)
        self.assertTrue(100 < most < size)
        self.assertEqual(0, found["full_count"])

    def test_segments_stand_apart(self):
        told = subprocess.run([JAVA, "-XX:+SegmentedCodeCache", "-XX:+PrintCodeCache", "-version"], capture_output=True, text=True)
        self.assertEqual({"non-nmethods", "profiled nmethods", "non-profiled nmethods"}, set(runner.code_cache(told.stdout)["code_cache_kib"]))

    def test_most_counts_and_full_is_missed(self):
        low, high = ({"code_cache_kib": {"CodeCache": [1000, used]}, "full_count": 0} for used in (100, 650))
        row = list(tables.code_cache_rows([run(BASE, 1, **low), run(BASE, 2, **high)]))[0]
        self.assertEqual([BASE, "CodeCache", "1,000", "650", "65%", "0", "2", "met"], row)
        full = run(BASE, 1, code_cache_kib={"CodeCache": [1000, 100]}, full_count=1)
        self.assertEqual("missed", list(tables.code_cache_rows([full]))[0][-1])


class PeaksTest(unittest.TestCase):
    def test_the_highest_run_counts_and_other_rows_stay(self):
        found = peaks.measured([run(BASE, 1), run(BASE, 2, rss_scraped_mb=35.01), run("without Xmn", 1, rss_scraped_mb=99.0)])
        self.assertEqual({("i386-client", "rps-1000"): 35_100_000}, found)
        text, stale = peaks.merged("# old\nhost rps-100 100 5\ni386-client rps-1000 1000 1\n", found)
        self.assertEqual(["i386-client rps-1000 1000 35100000", "host rps-100 100 5"], text.splitlines()[2:])
        self.assertEqual(["host rps-100"], stale)


class ReportTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.results = Path(scratch.name)

    def file(self, family, runs, cpu=MACHINE["cpu"]):
        with open(self.results / f"{family}.jsonl", "a") as results:
            results.writelines(json.dumps({**one, "family": family, "machine": {**MACHINE, "cpu": cpu}}) + "\n" for one in runs)

    def test_a_page_tells_which_family_was_measured_where(self):
        def told():
            page.write(self.results, self.results / "EVIDENCE.md")
            return (self.results / "EVIDENCE.md").read_text()

        self.file("rps-100", [run(BASE, 1)])
        self.file("choices", [run(BASE, 1)])
        self.assertIn(". some CPU, 2 cores, 24 GiB, Linux 6.1; nginx 1.22.1.\n", told())
        self.file("choices", [run(BASE, 2)], "another")
        self.file("choices", [run(BASE, 3)], "another")
        both = told()
        self.assertIn("\n- `rps-100`, `choices`: some CPU, 2 cores, ", both)
        self.assertIn("\n- `choices`: another, 2 cores, ", both)
        # measured again
        (self.results / "choices.jsonl").unlink()
        self.file("choices", [run(BASE, 1)], "another")
        self.assertIn("\n- `rps-100`: some CPU, 2 cores, ", told())

    def test_starts_of_another_machine_are_not_judged_beside_the_bars(self):
        self.file("bars", [run(BASE, 1)])
        self.file("rps-100", [run(BASE, 1), run(BASE, 2)])
        self.file("choices", [run(BASE, 1)], "another")
        page.write(self.results, self.results / "EVIDENCE.md")
        self.assertRegex((self.results / "EVIDENCE.md").read_text(), rf"\| {BASE} \| start to first answer, s \|[^|]*\|[^|]*\| 3 \|")

    def test_a_page_shows_what_recordings_cost(self):
        options = {"image": "amd64-c1-jfr", "rate": 1000, "connections": 16, "closed": True, "workers": None, "rounds": 1, "blocks": 2, "seconds": 4.0}
        found = {"at": "2026-11-30T10:00:00Z", "machine": {"cpu": "a processor", "cores": 2, "kernel": "6.1"}, "options": options,
                 "rows": {"recording-cpu": [{"cpu_us": 50.0, "added_cpu_percent": 1.5}, {"cpu_us": 52.0, "added_cpu_percent": 2.5}]}}
        (self.results / "recordings.json").write_text(json.dumps([found]))
        text = "\n".join(page.recordings(self.results))
        self.assertIn("Closed loops over 16 connections on `amd64-c1-jfr`; 1 round, 2 blocks of two windows of 4 s each. Measured 2026-11-30 on a processor", text)
        self.assertRegex(text, r"\| recording-cpu \|\s*51 \(50 .. 52\) \|\s*2.0 \(1.5 .. 2.5\) \|")

    def test_a_page_has_a_row_for_every_flag_as_the_lint_reads_them(self):
        pair = ["UnlockExperimentalVMOptions", "SymbolTableSize"]
        self.file("flags-i386-client", [
            *(run(BASE, number, rss_mb=33 + number / 10) for number in range(5)),
            *(run("without Xmn", number, rss_mb=34 + number / 10, rows=["Xmn"], what="-Xmn2m") for number in range(5)),
            *(run("without both", number, rows=pair, what="both") for number in range(5))])
        page.write(self.results, self.results / "EVIDENCE.md")
        text = (self.results / "EVIDENCE.md").read_text()
        rows = {match.group(1) for line in text.splitlines() if (match := EVIDENCE_ROW.match(line))}
        self.assertEqual({"Xmn", *pair}, rows)
        self.assertIn("| `Xmn` | **kept** | flags-i386-client: kept: RSS −1.0 MB |", text)
        self.assertIn("| `Xmn`: `-Xmn2m` | 34.2 (34.0..34.4) | +1.00 |", text)
        self.assertIn("| `SymbolTableSize` | **drop** |", text)

    def test_a_verdict_of_few_runs_says_so(self):
        runs = [run(BASE, 1), run("without Xmn", 1, rss_mb=34.0, rows=["Xmn"])]
        self.assertIn("[1 runs only]", str(tables.flag_verdicts(runs, {})["Xmn"][1]))

    def test_bars_are_met_or_missed(self):
        runs = [run(BASE, number, rss_mb=rss) for number, rss in ((1, 37.0), (2, 38.5))]
        runs += [run("amd64-tiered rps-40000", 1, identity=["amd64-tiered"], rps=46000.0),
                 run("envoy, closed loop", 1, identity=[""], rps=20000.0)]
        found = {(row[0], row[1]): row[-1] for row in bars.bar_rows(runs)}
        self.assertEqual("**missed**", found[BASE, "peak RSS, MB"])
        self.assertEqual("met", found[BASE, "start to first answer, s"])
        slow = [run(BASE, number, start_s=0.4, family="choices") for number in range(5)]
        found = {(row[0], row[1]): row[-2:] for row in bars.bar_rows(runs, runs + slow)}
        self.assertEqual(["7", "**missed**"], found[BASE, "start to first answer, s"])
        self.assertEqual(["1", "met"], found["amd64-tiered rps-40000", "throughput, closed loop, times Envoy's"])

    def test_a_bar_without_a_figure_is_inconclusive(self):
        found = {(row[0], row[1]): row[2:] for row in bars.bar_rows([run(BASE, 1)])}
        self.assertEqual(len(bars.BARS) + 1, len(found))
        self.assertEqual(["at most 34", "", "0", "inconclusive"], found["amd64-c1 rps-1000", "peak RSS, MB"])
        self.assertEqual(["at least 2.2", "", "0", "inconclusive"], found["amd64-tiered rps-40000", "throughput, closed loop, times Envoy's"])

    def test_what_did_not_start_in_every_round_has_not_met_a_bar(self):
        failed = {key: value for key, value in run(BASE, 2).items() if not key.endswith(("_mb", "_us", "_s", "rps"))}
        found = {(row[0], row[1]): row[-1] for row in bars.bar_rows([run(BASE, 1), {**failed, "failed": "no answer"}])}
        self.assertEqual("**missed**", found[BASE, "peak RSS, MB"])


if __name__ == "__main__":
    unittest.main()
