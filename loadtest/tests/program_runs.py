"""Runs of compare, chart and density at a small scale, as users run them."""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from remora_measure.repository import REPOSITORY

SECONDS = 240
# ./measure, which builds first.
START = [REPOSITORY / "scripts/python", "-m", "remora_measure"]


class Program:
    """One run that has ended: status, output (both streams), and files, the text of each file of its reports by name."""

    def __init__(self, name, *words, environment=None):
        with tempfile.TemporaryDirectory() as scratch:
            os.chmod(scratch, 0o755)  # nginx's worker is another user
            end = words.index("--") if "--" in words else len(words)
            command = [*START, name, *map(str, words[:end]), "--reports", f"{scratch}/reports", *map(str, words[end:])]
            done = subprocess.run(command, env={**os.environ, "PYTHON": sys.executable, "TMPDIR": scratch, **(environment or {})}, text=True, timeout=SECONDS,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            self.status, self.output = done.returncode, done.stdout
            written = [path for path in Path(scratch, "reports").rglob("*") if path.is_file()]
            self.files = {path.name: path.read_bytes() for path in written}
            self.left_behind = [path.name for path in Path("/proc").glob("[0-9]*") if scratch in command_line(path)]

    def text(self, name):
        return self.files[name].decode()


def command_line(process):
    try:
        return (process / "cmdline").read_text(errors="replace")
    except OSError:
        return ""
