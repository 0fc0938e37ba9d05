"""Medians, ranges and ratios of what was measured several times."""
import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

Row = Mapping[str, Any]


class Figure(NamedTuple):
    """A thing that is measured: its key in a row, its heading, and the decimal places in which it is shown."""

    key: str
    heading: str
    places: int = 0


class Spread(NamedTuple):
    median: float
    low: float
    high: float

    def text(self, places: int) -> str:
        """The median, and in brackets the least and the most, where they differ."""
        median, low, high = (f"{value:,.{places}f}" for value in self)
        return median if low == high else f"{median} ({low} .. {high})"

    def text_with_range(self, places: int) -> str:
        """The median with its range in brackets, however narrow that is."""
        median, low, high = (f"{value:,.{places}f}" for value in self)
        return f"{median} ({low}..{high})"

    def apart(self, other: "Spread") -> bool:
        """Whether every value of one lies beyond every value of the other."""
        return self.high < other.low or other.high < self.low


def of(values: Iterable[float | None]) -> Spread | None:
    """The spread of those values that are there; None where none is."""
    there = [value for value in values if value is not None]
    return Spread(statistics.median(there), min(there), max(there)) if there else None


def of_key(rows: Iterable[Row], key: str) -> Spread | None:
    """The spread of one figure of those rows that have it."""
    return of(row.get(key) for row in rows)


def by_figure(rows: Sequence[Row], figures: Iterable[Figure]) -> dict[str, Spread]:
    """Spreads by key, of rows that may each lack some."""
    found = {figure.key: of_key(rows, figure.key) for figure in figures}
    return {key: spread for key, spread in found.items() if spread}


def ratios(rows: Sequence[Row | None], others: Sequence[Row | None], figures: Iterable[Figure]) -> dict[str, Spread]:
    """Spreads of the ratios round by round, by key: a machine that drifts slows both of a round alike.

    None in a round stands for an arm that did not run in it."""
    found = {figure.key: of(ratio(one, other, figure.key) for one, other in zip(rows, others)) for figure in figures}
    return {key: spread for key, spread in found.items() if spread}


def ratio(row: Row | None, other: Row | None, key: str) -> float | None:
    above, below = (one.get(key) if one else None for one in (row, other))
    return above / below if above is not None and below and below > 0 else None
