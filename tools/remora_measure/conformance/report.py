"""The result of a conformance test, for people and for programs: report.json, report.html, charts, and a table for the terminal."""
import base64
import gzip
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..charts import drawing, run_charts
from . import page
from .row_texts import cells, rows_of

HEADINGS = ("figure", "measured", "bar", "result", "")
CHARTS = "charts"
BEGINS, ENDS = "-----BEGIN REPORT-----", "-----END REPORT-----"


def write(result: Mapping[str, Any], directory: Path) -> None:
    """Writes report.json, report.html and the charts into a directory that is there. Parts that the result does not have are reported as missing."""
    result = {**result, "files": result.get("files") or files(directory)}
    # first of all, so that no trouble with pictures loses figures
    (directory / "report.json").write_text(json.dumps(result, indent=1))
    drawn, trouble = draw(result, directory / CHARTS)
    (directory / "report.html").write_text(page.of(result, drawn, trouble))


def draw(result: Mapping[str, Any], directory: Path) -> tuple[dict[str, str], str | None]:
    """{name: SVG}, and why it is empty where it should not be."""
    latency = run_charts.percentile_curves(result.get("latency") or {})
    descriptions = {**({"latency": latency} if latency else {}), **run_charts.over_time(result.get("samples") or [])}
    try:
        return drawing.draw(descriptions, directory), None
    except drawing.NotDrawn as reason:
        return {}, str(reason)


def files(directory: Path) -> dict[str, str]:
    """Recordings next to the report: {name: path in the directory}."""
    patterns = ("*.hlog", "samples.jsonl", "control-*.json", "*.log")
    return {path.name: path.name for pattern in patterns for path in sorted(directory.glob(pattern))}


def printed(directory: Path) -> str:
    """The page as text for a log: compressed, in base64, between two lines that sed finds."""
    page_text = base64.encodebytes(gzip.compress((directory / "report.html").read_bytes())).decode()
    return f"{BEGINS}\n{page_text}{ENDS}"


def table(result: Mapping[str, Any]) -> str:
    """The rows as aligned columns."""
    lines = [HEADINGS, *(cells(row) for row in rows_of(result))]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEADINGS))]
    return "\n".join("  ".join(aligned(column, cell, widths[column]) for column, cell in enumerate(line)).rstrip() for line in lines)


def aligned(column: int, cell: str, width: int) -> str:
    return cell.rjust(width) if column == 1 else cell.ljust(width)
