"""Real sidecars that are reloaded and taken over from, for some seconds: that nothing is lost. A run so short does not tell what climbs."""
import unittest

from remora_measure.repository import BUILT_IMAGES

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


if __name__ == "__main__":
    unittest.main()
