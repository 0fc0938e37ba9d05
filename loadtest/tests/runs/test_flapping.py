"""A minute of sources that change each second."""
import tempfile
import unittest
from pathlib import Path

from .. import flapping
from ..quick.test_flapping import FlappingCase


@unittest.skipIf(flapping.missing(), "knot is not installed")
class LongFlapping(FlappingCase, unittest.TestCase):
    seconds = 60

    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as work:
            cls.run_over = flapping.Flapping("host", Path(work), cls.seconds)


if __name__ == "__main__":
    unittest.main()
