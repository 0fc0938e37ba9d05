"""Simulates the balancers in virtual time, and draws the chart of docs/balancing.md.

Exit status: 0, or 3 if it could not run.
"""
import argparse
import json
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

from ..charts.drawing import Description, NotDrawn, draw
from ..charts.run_charts import Points, line
from ..command_line import Parser, end_with
from ..errors import CouldNotRun
from ..machine import children, processes
from ..repository import REPOSITORY

NAME = "balancing"
COMPILE = [REPOSITORY / "scripts/mvn", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-pl", "core", "test-compile"]
CORE = REPOSITORY / "proxy/core/target"

# Bound of the simulation, which takes seconds.
SIMULATE_S = 600.0


def description(shares: Mapping[str, Points]) -> Description:
    return {"title": "One of three endpoints answers in 500 ms instead of 5 ms, from second 5 to second 15",
            "x": {"title": "seconds, 1,000 requests each"}, "y": {"title": "% of the requests", "least": 0},
            "series": [line(name, [(x, y) for x, y in points]) for name, points in shares.items()]}


def simulated() -> dict[str, Points]:
    """Of the requests in each half second, how many per cent went to the slow endpoint: {balancer: [[second, percent], ...]}."""
    if children.run(COMPILE, children.BUILD_S).returncode != 0:
        raise CouldNotRun("the simulation could not be compiled")
    java = f"{processes.default_java_home()}/bin/java"
    written = children.run([java, "-cp", f"{CORE}/classes:{CORE}/test-classes", "io.remora.balance.BalanceChart"], SIMULATE_S, stdout=subprocess.PIPE, text=True)
    if written.returncode != 0:
        raise CouldNotRun(f"the simulation ended with status {written.returncode}")
    found: dict[str, Points] = json.loads(written.stdout)
    return found


def run(options: argparse.Namespace) -> int:
    shares = simulated()
    with tempfile.TemporaryDirectory(prefix="balance.") as work:
        try:
            draw({NAME: description(shares)}, Path(work))
        except NotDrawn as why:
            raise CouldNotRun(str(why)) from None
        shutil.copyfile(Path(work) / f"{NAME}.svg", options.directory / f"{NAME}.svg")
    return 0


def main(words: Sequence[str] | None = None) -> NoReturn:
    parser = Parser("balance-chart", __doc__)
    parser.add_argument("directory", type=Path, nargs="?", default=REPOSITORY / "docs", help="directory for the chart")
    end_with("balance-chart", lambda: run(parser.parse_args(words)))


if __name__ == "__main__":
    main()
