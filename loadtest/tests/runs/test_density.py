"""Short runs of a herd of two sidecars."""
import json
import unittest

from remora_measure.results import density

from ..program_runs import Program

SMALL = ("--backend", "bundled", "--idle", 1, "--warmup", 0.5, "--seconds", 2, "--no-archive-arm")


class Runs(unittest.TestCase):
    def test_two_sidecars_on_the_machines_own_jdk(self):
        run = Program("density", 2, "--image", "host", *SMALL, "--rate", 10)
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
