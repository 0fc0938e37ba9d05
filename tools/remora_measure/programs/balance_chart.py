"""Draws the picture of docs/balancing.md from what the simulation of the balancers has written: {name: [[second, percent], ...]}.

Exit status: 0, 3 when it could not run.
"""
import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

from ..charts.drawing import Description, NotDrawn, draw
from ..charts.run_charts import Points, line
from ..command_line import Parser, end_with
from ..errors import CouldNotRun

NAME = "balancing"


def description(shares: Mapping[str, Points]) -> Description:
    return {"title": "One of three endpoints answers in 500 ms instead of 5 ms, from second 5 to second 15",
            "x": {"title": "seconds, 1,000 requests each"}, "y": {"title": "% of the requests", "least": 0},
            "series": [line(name, [(x, y) for x, y in points]) for name, points in shares.items()]}


def run(options: argparse.Namespace) -> int:
    try:
        shares = json.load(sys.stdin)
    except ValueError as fault:
        raise CouldNotRun(f"standard input is no JSON: {fault}") from None
    with tempfile.TemporaryDirectory(prefix="balance.") as work:
        try:
            draw({NAME: description(shares)}, Path(work))
        except NotDrawn as why:
            raise CouldNotRun(str(why)) from None
        shutil.copyfile(Path(work) / f"{NAME}.svg", options.directory / f"{NAME}.svg")
    return 0


def main(words: Sequence[str] | None = None) -> NoReturn:
    parser = Parser("balance-chart", __doc__)
    parser.add_argument("directory", type=Path, help="where the picture is written")
    end_with("balance-chart", lambda: run(parser.parse_args(words)))


if __name__ == "__main__":
    main()
