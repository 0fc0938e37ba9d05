"""The rows of a verdict, and the numbers in them, as texts."""
import math
from collections.abc import Mapping
from typing import Any


def rows_of(result: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [row for row in result.get("rows") or [] if row]


def cells(row: Mapping[str, Any]) -> list[str]:
    """A row's texts, a line each and nothing for a terminal to obey: figure, measured, bar, result, note."""
    unit = str(row.get("unit") or "")
    measured = "missing" if row.get("value") is None else f"{number(row['value'])} {unit}".rstrip()
    bar = "" if row.get("bar") is None else f"{row.get('relation') or ''} {number(row['bar'])} {unit}".strip()
    texts = (row.get("name") or "", measured, bar, row.get("result") or "missing", row.get("note") or "")
    return [" ".join("".join(letter if letter.isprintable() else " " for letter in str(text)).split()) for text in texts]


def number(value: object) -> str:
    """Four digits or all before the point, thousands apart; what is no number as it is."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, int) or value == 0 or not math.isfinite(value):
        return f"{value:,.0f}" if math.isfinite(value) else str(value)
    places = max(0, min(6, 3 - math.floor(math.log10(abs(value)))))
    text = f"{value:,.{places}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text
