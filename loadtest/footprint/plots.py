"""The charts of comparisons, described for the Java tool Draw."""
import sys

from . import charts


def bars(title, figure, spreads):
    """The description of a chart with a bar for each name, and its spread. spreads: {name: Spread}."""
    def values(end):
        return [round(getattr(one, end), figure.places) for one in spreads.values()]

    return {"title": title, "bars": True, "x": {"kind": "categories", "labels": list(spreads)}, "y": {"title": figure.heading, "least": 0},
            "series": [{"name": figure.heading, "y": values("median"), "low": values("low"), "high": values("high")}]}


def by_rate(title, unit, rates, values):
    """A line for each name over rates, which are evenly spaced. values: {name: {rate: value}}; a rate without one is a gap."""
    labels = [f"{rate:,}" for rate in rates]
    return {"title": title, "x": {"title": "requests a second", "kind": "categories", "labels": labels}, "y": {"title": unit, "least": 0},
            "series": [{"name": name, "y": [of_rate.get(rate) for rate in rates]} for name, of_rate in values.items()]}


def draw(descriptions, directory):
    """Draws {name: description} as NAME.svg and NAME.png. Charts that cannot be drawn are told of: the figures are there without them."""
    try:
        charts.draw(descriptions, directory)
    except charts.NotDrawn as why:
        print(f"no charts: {why}", file=sys.stderr)
