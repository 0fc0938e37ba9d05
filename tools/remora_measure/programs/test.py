"""Tests the measuring programs with unittest. Arguments after the name of the tests are passed to unittest.

  quick      tests of the load test that take a minute
  runs       complete runs of the programs, including faulty sidecars: about twenty minutes
  profiles   the selection of a JVM profile, and the lint of the profiles
  figures    the published figures
  site       the documentation site
  prose      the style of the pages
  tutorials  the tutorials, which are run as they are written, and the code blocks of the other pages
  generated  the Dockerfiles at the top, which a program writes
  observe    the alerting rules and the dashboard, by Prometheus

./measure builds all required files.
"""
import os
import sys

from ..machine import children
from ..repository import REPOSITORY

# The words for unittest.
TESTS = {
    "quick": ["-s", "loadtest/tests/quick", "-t", "loadtest"],
    "runs": ["-v", "-s", "loadtest/tests/runs", "-t", "loadtest"],
    "profiles": ["-s", "jvm-profiles/tests"],
    "figures": ["-s", "docs/figures"],
    "site": ["-s", "docs/site"],
    "prose": ["-s", "docs/vale"],
    "tutorials": ["-s", "docs/tutorials"],
    "generated": ["-s", "runtime-images/tests", "-p", "test_dockerfiles.py"],
    "observe": ["-s", "deploy/observe/tests"],
}
MAVEN = [REPOSITORY / "scripts/mvn", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"]


def main() -> None:
    name, *words = sys.argv[1:] or [""]
    if name not in TESTS:
        print(__doc__)
        sys.exit(0 if name in ("--help", "-h") else 64)
    os.chdir(REPOSITORY)
    if name == "runs":
        # their sidecars have faults that lie among the tests in Java
        children.run([*MAVEN, "test-compile", "-pl", "../loadtest"], children.BUILD_S, check=True)
    # a background job of a shell ignores SIGINT and gets SIGTERM; tests have to run what ends their children
    start = "import signal, unittest; signal.signal(signal.SIGTERM, signal.default_int_handler); unittest.main(module=None)"
    os.execv(sys.executable, [sys.executable, "-c", start, "discover", *TESTS[name], *words])


if __name__ == "__main__":
    main()
