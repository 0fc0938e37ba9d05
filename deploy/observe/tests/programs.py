"""Programs of others that the tests run, by scripts/counterparts; without them a test is skipped."""
import functools
import subprocess
import unittest
from pathlib import Path

import generated

COUNTERPARTS = generated.ROOT / "scripts/counterparts"


@functools.cache
def found(name: str) -> tuple[Path | None, str]:
    told = subprocess.run([COUNTERPARTS, name], capture_output=True, text=True)
    return (Path(told.stdout.strip()), "") if told.returncode == 0 else (None, told.stderr.strip())


def prometheus(test: unittest.TestCase) -> Path:
    """The directory with prometheus and promtool."""
    directory, missing = found("prometheus")
    if directory is None:
        test.skipTest(f"no Prometheus: {missing}")
    return directory
