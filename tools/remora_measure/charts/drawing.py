"""Draws charts by the Java program Draw, whose class ChartSpec says what a description has."""
import json
import re
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import DidNotEnd
from ..load import java_tools
from ..machine import children, processes

DRAW_SECONDS = 60

# A chart as JSON has it.
Description = dict[str, Any]


class NotDrawn(Exception):
    """Why there are no charts, in a line."""


def draw(descriptions: Mapping[str, Description], directory: Path) -> dict[str, str]:
    """Draws {name: description} as NAME.svg and NAME.png in a directory, in one call; {name: the SVG's text}. Raises NotDrawn."""
    if not descriptions:
        return {}
    directory.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="charts.") as work:
        words = []
        for name, description in descriptions.items():
            spec = Path(work) / f"{name}.json"
            spec.write_text(json.dumps(description))
            words += [spec, directory / name]
        call_draw(words)
    return {name: (directory / f"{name}.svg").read_text() for name in descriptions}


def draw_if_possible(descriptions: Mapping[str, Description], directory: Path) -> None:
    """Draws, and says on standard error why there are no charts where that fails: the figures are there without them."""
    try:
        draw(descriptions, directory)
    except NotDrawn as why:
        print(f"no charts: {why}", file=sys.stderr)


def call_draw(words: list[Path]) -> None:
    try:
        command = java_tools.java(processes.default_java_home(), "charts.Draw", *words)
        done = children.run(command, DRAW_SECONDS, capture_output=True, text=True)
    except SystemExit as missing:
        raise NotDrawn(str(missing)) from None
    except (OSError, DidNotEnd) as failure:
        raise NotDrawn(re.sub(r"\s+", " ", str(failure))[:200]) from None
    if done.returncode:
        raise NotDrawn((done.stderr.strip().splitlines() or [f"Draw ended with status {done.returncode}"])[0])
