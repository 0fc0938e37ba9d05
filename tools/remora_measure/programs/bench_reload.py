"""Measures the cost of a reload with 1,000 routes on C1. It takes half a minute."""
import subprocess
import sys

from ..repository import REPOSITORY

WORDS = ["-pl", "core", "-DskipUnitTests", "-Dit.test=ReloadCost", "-Dtest.args=-Xmx384m -XX:+UseSerialGC -XX:TieredStopAtLevel=1",
         "-Dsurefire.failIfNoSpecifiedTests=false", "verify"]
SHOWN = ("reload", "median")


def main() -> int:
    with subprocess.Popen([REPOSITORY / "scripts/mvn", *WORDS], stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout
        for line in run.stdout:
            if line.startswith(SHOWN) or "BUILD" in line:
                print(line, end="", flush=True)
    return run.returncode


if __name__ == "__main__":
    if {"-h", "--help"} & set(sys.argv):
        print(__doc__)
        sys.exit()
    sys.exit(main())
