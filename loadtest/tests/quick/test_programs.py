"""What a user starts: the programs of ./measure and the targets of make. docs/tutorials tests the commands that the pages name."""
import importlib.util
import os
import re
import subprocess
import sys
import unittest

from remora_measure import __main__ as measure
from remora_measure.errors import CouldNotRun
from remora_measure.programs import compare
from remora_measure.programs import test as tests
from remora_measure.repository import REPOSITORY

MOST_TARGETS, COLUMNS = 20, 80
NEEDED = {"run", "build", "test", "test-h2", "check", "format", "conformance", "compare", "footprint-chart", "density", "images", "image-i386",
          "image-compact3", "lint-profiles", "test-kubernetes", "docs", "install", "clean"}
PROGRAMS = {name: program for programs in measure.GROUPS.values() for name, program in programs.items()}


def targets():
    return set(re.findall(r"(?m)^([a-z0-9-]+):(?!=)", (REPOSITORY / "Makefile").read_text()))


class Targets(unittest.TestCase):
    def test_there_are_few(self):
        self.assertLessEqual(len(targets()), MOST_TARGETS)
        self.assertLessEqual(NEEDED, targets())

    def test_help_lists_all_of_them_within_the_width_of_a_terminal(self):
        told = subprocess.run(["make", "--no-print-directory", "help"], cwd=REPOSITORY, check=True, capture_output=True, text=True).stdout
        self.assertEqual(targets(), set(re.findall(r"(?m)^  make ([a-z0-9-]+) +\S", told)))
        self.assertEqual([], [line for line in told.splitlines() if len(line) > COLUMNS])


class Programs(unittest.TestCase):
    def test_each_has_a_module(self):
        for name, program in PROGRAMS.items():
            self.assertTrue(importlib.util.find_spec(f"remora_measure.programs.{program.module}"), name)

    def test_what_tests_look_into_is_built_first(self):
        program = PROGRAMS["test"]
        self.assertEqual(set(tests.TESTS), {*program.needs_by_word, "figures", "site", "prose", "generated"})
        self.assertEqual((measure.SIDECAR, measure.NOTHING), (program.needs_of(["profiles", "-v"]), program.needs_of(["figures"])))

    def test_each_program_explains_itself(self):
        for name in PROGRAMS:
            with self.subTest(name):
                told = subprocess.run([REPOSITORY / "scripts/python", "-m", "remora_measure", name, "--help"], stdin=subprocess.DEVNULL, capture_output=True,
                                      text=True, env={**os.environ, "PYTHON": sys.executable})
                self.assertEqual((0, ""), (told.returncode, told.stderr))
                self.assertGreater(len(told.stdout), 40)

    def test_help_fits_a_terminal(self):
        lines = measure.listed().splitlines()
        self.assertEqual([], [line for line in lines if len(line) > COLUMNS])
        self.assertEqual(list(PROGRAMS), [line.split()[0] for line in lines if line.startswith("  ")])

    def test_an_unknown_one_is_refused(self):
        done = subprocess.run([REPOSITORY / "scripts/python", "-m", "remora_measure", "nothing"], capture_output=True, text=True)
        self.assertEqual((measure.UNKNOWN_PROGRAM, ""), (done.returncode, done.stdout))
        self.assertIn("nothing: not known", done.stderr)


class Comparisons(unittest.TestCase):
    def test_the_images_are_compared_by_default(self):
        kind, words = compare.chosen(["--rounds", "2"])
        self.assertEqual((compare.KINDS["images"], ["--rounds", "2"]), (kind, words))

    def test_a_kind_has_words_before_those_of_the_user(self):
        _, words = compare.chosen(["--what", "mesh", "--rounds", "1"])
        self.assertEqual(["--only", "i386-client,i386-client+mesh,amd64-c1,amd64-c1+mesh", "--rounds", "1"], words)

    def test_an_unknown_kind_is_refused(self):
        with self.assertRaisesRegex(CouldNotRun, "squid"):
            compare.chosen(["--what", "squid"])


if __name__ == "__main__":
    unittest.main()
