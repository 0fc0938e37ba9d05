"""The words of a command line as a plan."""
import argparse
import tempfile
import unittest
from pathlib import Path

from remora_measure.command_line import new_folder
from remora_measure.conformance import plan
from remora_measure.errors import CouldNotRun


class UnitsTest(unittest.TestCase):
    def test_durations_and_sizes_carry_units(self):
        self.assertEqual([0.5, 60.0, 90.0, 7200.0, 3960.0], [plan.duration(text) for text in ("500ms", "60s", "1.5m", "2h", "1.1h")])
        self.assertEqual([512, 1024, 2 * 1024 * 1024], [plan.size(text) for text in ("512", "1KiB", "2 MiB")])

    def test_what_is_neither_is_refused(self):
        for read, text in ((plan.duration, "60"), (plan.duration, "-1s"), (plan.size, "1KB"), (plan.size, "x"), (plan.profile, "1000")):
            with self.assertRaises(argparse.ArgumentTypeError, msg=text):
                read(text)


class FolderTest(unittest.TestCase):
    def test_runs_that_begin_in_the_same_second_have_one_each(self):
        with tempfile.TemporaryDirectory() as reports:
            found = {new_folder(Path(reports, "reports"), "soak") for _ in range(8)}
            self.assertEqual(8, sum(folder.is_dir() for folder in found))


class PlanTest(unittest.TestCase):
    def read(self, *words, **defaults):
        return plan.read("conformance", "", list(words), **defaults)

    def test_the_defaults_are_a_sidecar_at_its_usual_rate(self):
        asked = self.read()
        self.assertEqual(("i386", 1000, 16, 60.0, 1024), (asked.image, asked.rps, asked.connections, asked.duration_s, asked.body_bytes))

    def test_the_probe_is_part_of_the_rate_and_a_small_one(self):
        self.assertEqual([1, 10, 100, 200], [self.read("--rps", rps).probe_rate for rps in ("2", "100", "1000", "40000")])

    def test_the_generator_is_asked_for_more_than_it_has_to_show(self):
        self.assertGreater(self.read("--rps", "1000").calibration_rps, 2000)

    def test_a_named_profile_replaces_the_one_for_the_rate(self):
        self.assertEqual([500, 100], [self.read("--rps", "500", "--profile", name).profile_rps for name in ("auto", "rps-100")])

    def test_other_defaults_give_way_to_what_is_said(self):
        self.assertEqual(7200.0, self.read(duration_s=7200.0).duration_s)
        self.assertEqual(5.0, self.read("--duration", "5s", duration_s=7200.0).duration_s)

    def test_an_engine_takes_the_image_that_has_it(self):
        asked = [self.read(*words) for words in (
            ["--engine", "finagle"], ["--engine", "finagle", "--image", "compact3-386"], ["--image", "host-finagle"], [])]
        self.assertEqual([("compact3-finagle", "finagle"), ("compact3-386-finagle", "finagle"), ("host-finagle", "finagle"), ("i386", "netty")],
                         [(one.image, one.engine) for one in asked])

    def test_several_endpoints_are_asked_for_by_name(self):
        self.assertEqual(["off", "mesh"], [self.read().features, self.read("--features", "mesh").features])

    def test_what_cannot_be_measured_is_refused(self):
        for words in (("--rps", "1"), ("--duration", "500ms"), ("--duration", "1.5s"), ("--connections", "0"), ("--post-share", "101"),
                      ("--features", "mesh", "--tls", "tls")):
            with self.assertRaises(CouldNotRun):
                self.read(*words)


if __name__ == "__main__":
    unittest.main()
