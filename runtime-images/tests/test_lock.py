"""Builds by a lock that names what is gone."""
import shutil
import tempfile
import unittest
from pathlib import Path

from test_runtimes import IMAGES, run


class Lock(unittest.TestCase):
    def test_a_package_that_is_gone(self):
        with tempfile.TemporaryDirectory() as other:
            copy = Path(other) / "runtime-images"
            shutil.copytree(IMAGES, copy, ignore=shutil.ignore_patterns("target"))
            for name in ("proxy", "jvm-profiles"):
                (Path(other) / name).symlink_to(IMAGES.parent / name)
            lock = copy / "locks/17-i386.lock"
            lock.write_text(lock.read_text().replace("/zlib1g_", "/zlib1g_gone_"))
            cache = Path(other) / "cache"
            cache.mkdir()
            for package in lock.read_text().splitlines():
                if not package.startswith(("#", "zlib1g ")):
                    (cache / f"{package.split()[2]}.deb").touch()
            built = run(copy / "build", "i386-client", IMAGE_CACHE=str(cache))
            self.assertEqual(built.returncode, 1)
            self.assertRegex(built.stdout, "(?m)^runtime-images: zlib1g .* is not in the archive any more.*: runtime-images/lock writes a new one$")


if __name__ == "__main__":
    unittest.main()
