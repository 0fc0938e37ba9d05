"""Figures and rows as texts."""
import math


def cells(row):
    """A row's texts: figure, measured, bar, result, note."""
    unit = str(row.get("unit") or "")
    measured = "missing" if row.get("value") is None else f"{number(row['value'])} {unit}".rstrip()
    bar = "" if row.get("bar") is None else f"{row.get('relation') or ''} {number(row['bar'])} {unit}".strip()
    return [" ".join(str(text).split()) for text in (row.get("name") or "", measured, bar, row.get("result") or "missing", row.get("note") or "")]


def number(value):
    """Four digits or all before the point, thousands apart; what is no number as it is."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, int) or value == 0 or not math.isfinite(value):
        return f"{value:,.0f}" if math.isfinite(value) else str(value)
    places = max(0, min(6, 3 - math.floor(math.log10(abs(value)))))
    text = f"{value:,.{places}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
