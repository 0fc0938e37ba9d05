"""Sidecars in containers that end at their start."""
import tempfile
import time
import unittest
from pathlib import Path

from remora_measure import storms
from remora_measure.canaries import PLAIN
from remora_measure.machine import processes
from remora_measure.systems import sidecars
from remora_measure.systems.configurations import Ports

from .test_node_memory import has_image

# of a wrong command line
USAGE = 64
END_S = 20


@unittest.skipUnless(has_image(), "no image remora:i386")
class EndingAtTheStart(unittest.TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.work = Path(kept.name)

    def status(self, *words: str) -> int:
        """Of a container that ends by itself, at once or a moment later; the engine may not know of it yet."""
        try:
            sidecar = sidecars.Container("i386", [sidecars.CONTAINERS["i386"], *words], self.work / "log")
        except sidecars.EndedAtStart as ended:
            return ended.status
        try:
            deadline = time.monotonic() + END_S
            while sidecar.alive():
                self.assertLess(time.monotonic(), deadline, "the container goes on")
            return sidecar.status()
        finally:
            sidecar.stop()

    def test_the_status_is_the_one_that_it_ended_with(self):
        self.assertEqual([USAGE] * 10, [self.status("no-such-command") for _ in range(10)])

    def test_too_low_a_limit_is_told_by_the_status(self):
        (self.work / storms.CONFIGURATION).write_text("listeners: []\n", encoding="utf-8")
        for _ in range(10):
            with self.assertRaises(storms.DidNotStart) as raised:
                storms.start("i386", 16 << 20, self.work, Ports(*processes.free_ports(3)), PLAIN)
            self.assertEqual(storms.UNFIT, raised.exception.status)


if __name__ == "__main__":
    unittest.main()
