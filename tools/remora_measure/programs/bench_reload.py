"""Measures the cost of a reload with 1,000 routes on C1. It takes half a minute."""
import sys

from ..machine import children
from ..repository import REPOSITORY

WORDS = ["-pl", "core", "-DskipUnitTests", "-Dit.test=ReloadCost", "-Dtest.args=-Xmx384m -XX:+UseSerialGC -XX:TieredStopAtLevel=1",
         "-Dsurefire.failIfNoSpecifiedTests=false", "verify"]
SHOWN = ("reload", "median")


def main() -> int:
    with children.Output([REPOSITORY / "scripts/mvn", *WORDS], children.BUILD_S) as run:
        for line in run:
            if line.startswith(SHOWN) or "BUILD" in line:
                print(line, flush=True)
    return run.process.returncode


if __name__ == "__main__":
    if {"-h", "--help"} & set(sys.argv):
        print(__doc__)
        sys.exit()
    sys.exit(main())
