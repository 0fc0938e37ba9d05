"""Short runs of a herd of two sidecars."""
import json
import os
import tempfile
import unittest
from pathlib import Path

from remora_measure.machine import cgroups, page_cache
from remora_measure.results import density
from remora_measure.systems import peers

from ..program_runs import Program
from ..quick.test_working_set import input_blocks

SMALL = ("--backend", "bundled", "--idle", 1, "--warmup", 0.5, "--seconds", 2, "--no-archive-arm", "--requests", 50, "--rest", 1)


class Caches(unittest.TestCase):
    @unittest.skipUnless(os.geteuid() == 0, "only root may drop the kernel's cache")
    def test_dropped_caches_are_read_again(self):
        with tempfile.TemporaryDirectory(dir=Path(__file__).parent) as directory:
            file = Path(directory, "written")
            file.write_bytes(b"x" * (4 << 20))
            self.assertTrue(page_cache.drop_all())
            before = input_blocks()
            file.read_bytes()
            self.assertGreaterEqual(input_blocks() - before, (4 << 20) // 512)


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
        run = Program("density", 2, "--image", "host", *SMALL, "--rate", 10, "--keep-caches")
        result = json.loads(run.text("density.json"))
        for name in ("envoy", "haproxy"):
            if peers.program(name):
                self.assertLess(result["herds"][name]["rested"]["rss_mb"], 400, run.output)
                self.assertEqual(40, result["herds"][name]["requests"])
                self.assertIsNone(result["herds"][name]["rested"]["marginal_mb"])
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
