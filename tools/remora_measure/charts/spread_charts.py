"""Charts of figures that were measured several times: bars with their ranges, and lines over the rate."""
from collections.abc import Mapping, Sequence

from ..spread import Figure, Spread
from .drawing import Description


def bars(title: str, figure: Figure, spreads: Mapping[str, Spread]) -> Description:
    """A chart with a bar for each name, and its range."""
    def values(end: str) -> list[float]:
        return [round(getattr(one, end), figure.places) for one in spreads.values()]

    return {"title": title, "bars": True, "x": {"kind": "categories", "labels": list(spreads)}, "y": {"title": figure.heading, "least": 0},
            "series": [{"name": figure.heading, "y": values("median"), "low": values("low"), "high": values("high")}]}


def by_rate(title: str, unit: str, rates: Sequence[int], values: Mapping[str, Mapping[int, float]]) -> Description:
    """A line for each name over rates, which are evenly spaced. values: {name: {rate: value}}; a rate without one is a gap."""
    labels = [f"{rate:,}" for rate in rates]
    return {"title": title, "x": {"title": "requests a second", "kind": "categories", "labels": labels}, "y": {"title": unit, "least": 0},
            "series": [{"name": name, "y": [of_rate.get(rate) for rate in rates]} for name, of_rate in values.items()]}
