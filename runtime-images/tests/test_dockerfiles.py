"""The Dockerfiles at the top are those that runtime-images/container/dockerfiles writes: a change was made in the shared text."""
import subprocess
import tempfile
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]


class DockerfilesTest(unittest.TestCase):
    def test_are_as_written(self):
        with tempfile.TemporaryDirectory() as written:
            subprocess.run([REPOSITORY / "runtime-images/container/dockerfiles", written], check=True)
            names = sorted(path.name for path in Path(written).iterdir())
            self.assertEqual(names, ["Dockerfile.compact3", "Dockerfile.i386"])
            for name in names:
                with self.subTest(name):
                    self.assertEqual((REPOSITORY / name).read_text(), (Path(written) / name).read_text())


if __name__ == "__main__":
    unittest.main()
