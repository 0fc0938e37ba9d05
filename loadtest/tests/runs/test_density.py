"""Short runs of a herd of two sidecars."""
import json
import os
import unittest

from remora_measure.machine import cgroups
from remora_measure.results import density
from remora_measure.systems import peers

from ..program_runs import Program

SMALL = ("--backend", "bundled", "--idle", 1, "--warmup", 0.5, "--seconds", 2, "--no-archive-arm", "--requests", 50, "--rest", 1)


class Runs(unittest.TestCase):
    def test_two_sidecars_on_the_machines_own_jdk(self):
        run = Program("density", 2, "--image", "host", *SMALL, "--rate", 10, "--no-peers")
        self.assertIn(run.status, (0, 1), run.output)
        self.assertEqual([], run.left_behind)
        result = json.loads(run.text("density.json"))
        self.assertEqual(run.status == 1, bool(density.too_busy(result)), run.output)
        self.assertIsNone(result["failure"])
        found = result["herds"]["with the CDS archive"]
        self.assertEqual(40, found["requests"])
        self.assertLessEqual(found["start"]["first_s"], found["start"]["all_s"])
        self.assertGreater(found["mappings"]["JVM library"]["saved_mb"], 0)
        self.assertGreater(found["mappings"]["all"]["rss_mb"], found["mappings"]["all"]["pss_mb"])
        self.assertIn("| RSS: all, each, MB ", run.text("density.md"))
        self.assertLess(found["rested"]["private_mb"], found["rested"]["rss_mb"])
        if not cgroups.denied():
            self.assertGreater(found["rested"]["working_set_mb"], found["rested"]["private_mb"])
        # that others take or give back memory meanwhile, no bound can know
        self.assertEqual(os.geteuid() != 0, found["rested"]["marginal_mb"] is None)

    def test_peers_that_are_installed_have_herds_of_their_own(self):
        run = Program("density", 2, "--image", "host", *SMALL, "--rate", 10)
        result = json.loads(run.text("density.json"))
        for name in ("envoy", "haproxy"):
            if peers.program(name):
                self.assertLess(result["herds"][name]["rested"]["rss_mb"], 400, run.output)
                self.assertEqual(40, result["herds"][name]["requests"])
            else:
                self.assertIn(f"left out: {name} is not installed", run.text("density.md"))
        self.assertEqual([], run.left_behind)

    def test_a_herd_that_does_not_start_cannot_run_and_leaves_nothing_behind(self):
        run = Program("density", 2, "--image", "host", *SMALL, environment={"REMORA_JAVA_OPTS": "-XX:+NoSuchOption"})
        self.assertEqual((3, []), (run.status, run.left_behind), run.output)
        self.assertIn("NoSuchOption", run.output)

    def test_an_image_that_is_not_built_cannot_run(self):
        run = Program("density", 2, "--image", "no-such-image")
        self.assertEqual(3, run.status, run.output)
        self.assertIn("make runtime IMAGE=no-such-image", run.output)

if __name__ == "__main__":
    unittest.main()
