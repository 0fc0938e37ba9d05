"""Sidecars that are reloaded and taken over from, for some seconds: real ones, that nothing is lost, as a run so short does not tell what
climbs; and made ones with planted faults."""
import concurrent.futures
import sys
import unittest
from pathlib import Path

from remora_measure.load.java_tools import JAR
from remora_measure.repository import BUILT_IMAGES

from .. import fake_sidecar
from ..program_runs import Program

IMAGE = "i386-client"
SHORT = ("--minutes", "0.3", "--rate", "500", "--newcomers", "20")


class ChangesCase(unittest.TestCase):
    def assert_nothing_lost(self, run, kind):
        self.assertIn(f"{kind}.json", run.files, run.output)
        for name in ("requests lost", "requests of newcomers lost", rf"{kind.removeprefix('soak-')}s that failed"):
            self.assertRegex(run.output, rf"(?m)^{name} +0 .* pass\b", run.output)
        self.assertEqual([], run.left_behind)

    def test_reloads_lose_nothing(self):
        self.assert_nothing_lost(Program("soak-reload", "--image", "host", *SHORT), "soak-reload")

    def test_reloads_of_many_routes_lose_nothing(self):
        self.assert_nothing_lost(Program("soak-reload", "--image", "host", "--routes", "1000", *SHORT), "soak-reload")

    @unittest.skipUnless((BUILT_IMAGES / IMAGE / "bin/remora").exists(), f"make runtime IMAGE={IMAGE} builds it")
    def test_takeovers_lose_nothing(self):
        self.assert_nothing_lost(Program("soak-takeover", "--image", IMAGE, "--changes", "3", *SHORT), "soak-takeover")


BRIEF = ("--minutes", "0.1", "--rate", "100", "--connections", "4", "--newcomers", "10", "--no-pin")
# the last reload but one is of a configuration that must be refused
RELOADS = ("soak-reload", "--changes", "11")
RUNS = {"well": (*RELOADS, ""), "lose": (*RELOADS, "lose"), "leak": (*RELOADS, "leak"), "deaf": (*RELOADS, "deaf"),
        "abrupt": ("soak-takeover", "--changes", "3", "")}


def soak(words):
    *words, fault = words
    return Program(*words, *BRIEF, "--command", f"{sys.executable} {Path(fake_sidecar.__file__)} {{config}} {fault}")


@unittest.skipUnless(JAR.exists(), "make loadtest/target/build.stamp builds what loads")
class PlantedFaults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with concurrent.futures.ThreadPoolExecutor() as pool:
            cls.runs = dict(zip(RUNS, pool.map(soak, RUNS.values())))

    def assert_row(self, run, name, result):
        self.assertRegex(self.runs[run].output, rf"(?m)^{name} .* {result}\b")

    def test_a_good_one_passes(self):
        self.assertEqual(0, self.runs["well"].status, self.runs["well"].output)
        self.assert_row("well", "RSS growth", "pass")
        self.assertIn("soak-reload.json", self.runs["well"].files)

    def test_one_that_loses_requests_fails(self):
        self.assertEqual(1, self.runs["lose"].status, self.runs["lose"].output)
        self.assertRegex(self.runs["lose"].output, r"(?m)^requests (of newcomers )?lost .* fail\b")
        self.assert_row("lose", "RSS growth", "pass")

    def test_one_whose_memory_climbs_fails(self):
        self.assertEqual(1, self.runs["leak"].status, self.runs["leak"].output)
        self.assert_row("leak", "RSS growth", "fail")
        self.assert_row("leak", "requests lost", "pass")

    def test_one_that_takes_no_configuration_fails(self):
        self.assertEqual(1, self.runs["deaf"].status, self.runs["deaf"].output)
        self.assertIn("a configuration that is wrong was answered with 200", self.runs["deaf"].output)

    def test_a_takeover_that_ends_connections_fails(self):
        self.assertEqual(1, self.runs["abrupt"].status, self.runs["abrupt"].output)
        self.assert_row("abrupt", "requests lost", "fail")

    def test_nothing_is_left_running(self):
        self.assertEqual({name: [] for name in RUNS}, {name: run.left_behind for name, run in self.runs.items()})


if __name__ == "__main__":
    unittest.main()
