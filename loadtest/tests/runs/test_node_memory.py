"""The memory that a container is charged, by the engine's own cgroup."""
import shutil
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from remora_measure.machine import cgroups, kernel, page_cache
from remora_measure.systems import sidecars

READY_S = 20


def has_image():
    return bool(shutil.which("docker")) and not subprocess.run(["docker", "image", "inspect", sidecars.CONTAINERS["i386"]], capture_output=True).returncode


def are_seen(layers):
    return bool(layers) and all(layer.is_dir() for layer in layers)


@unittest.skipUnless(has_image() and are_seen(sidecars.files("i386")), "no image remora:i386, or its layers are not to be seen here")
class Container(unittest.TestCase):
    def measured(self):
        """Bytes of inactive file pages and of private memory, and MB of anonymous memory by the process, all of a container that is ready."""
        with tempfile.TemporaryDirectory() as directory:
            sidecar = sidecars.Container("i386", [sidecars.CONTAINERS["i386"]], Path(directory, "log"))
            try:
                deadline = time.monotonic() + READY_S
                while " ready;" not in sidecar.written():
                    self.assertLess(time.monotonic(), deadline, f"the container was not ready within {READY_S} s: {sidecar.written()}")
                    time.sleep(0.05)
                group = cgroups.charged_to(sidecar.pid)
                return group.stat("total_inactive_file" if group.first else "inactive_file"), group.private(), kernel.status(sidecar.pid, "RssAnon")
            finally:
                sidecar.stop()

    def test_a_start_with_cold_caches_is_charged_for_the_files_that_it_reads(self):
        self.measured()
        warm, _, _ = self.measured()
        self.assertTrue(page_cache.evict_each(sidecars.files("i386")))
        cold, private, anonymous_mb = self.measured()
        self.assertGreater(cold - warm, 10e6)
        self.assertAlmostEqual(anonymous_mb, private / 1e6, delta=1)


if __name__ == "__main__":
    unittest.main()
