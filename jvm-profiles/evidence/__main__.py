"""The evidence for the JVM profiles, by the name it is started by: python3 jvm-profiles/evidence --help says how."""
import os
import sys
from pathlib import Path

if __name__ == "__main__":
    python = Path(__file__).resolve().parents[2] / "scripts/python"
    words = [str(python), "-m", "remora_measure.programs.evidence", *sys.argv[1:]]
    os.execve(python, words, {**os.environ, "PYTHON": sys.executable})
