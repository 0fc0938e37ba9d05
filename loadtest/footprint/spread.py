"""Medians, ranges and ratios of what was measured several times, and the tables that show them."""
import statistics
from typing import NamedTuple


class Figure(NamedTuple):
    """A thing that is measured: its key in a row, its heading, and the decimal places in which it is told."""
    key: str
    heading: str
    places: int = 0


class Spread(NamedTuple):
    median: float
    low: float
    high: float

    def text(self, places):
        """The median, and in brackets least and most, where they differ."""
        median, low, high = (f"{value:,.{places}f}" for value in self)
        return median if low == high else f"{median} ({low} .. {high})"


def of(values):
    """The spread of those values that are there; None where none is."""
    there = [value for value in values if value is not None]
    return Spread(statistics.median(there), min(there), max(there)) if there else None


def by_figure(rows, figures):
    """Spreads by key, of rows that each may lack some."""
    found = {figure.key: of([row.get(figure.key) for row in rows]) for figure in figures}
    return {key: spread for key, spread in found.items() if spread}


def ratios(rows, others, figures):
    """Spreads of the ratios round by round, by key: a machine that drifts slows both of a round alike.

    None in a round stands for an arm that did not run in it."""
    def ratio(one, other, key):
        above, below = (row.get(key) if row else None for row in (one, other))
        return above / below if above is not None and below and below > 0 else None

    found = {figure.key: of([ratio(one, other, figure.key) for one, other in zip(rows, others)]) for figure in figures}
    return {key: spread for key, spread in found.items() if spread}


def table(headings, lines):
    """A Markdown table in columns of equal width, fit to read as it is. Cells are texts; the first column is to the left."""
    widths = [max(len(line[column]) for line in [headings, *lines]) for column in range(len(headings))]

    def row(cells):
        return "| " + " | ".join(cell.rjust(width) if column else cell.ljust(width)
                                 for column, (cell, width) in enumerate(zip(cells, widths))) + " |"

    rule = "|" + "|".join("-" * (width + 1) + (":" if column else "-") for column, width in enumerate(widths)) + "|"
    return "\n".join([row(headings), rule, *(row(line) for line in lines)])


def spread_table(first_heading, by_name, figures, places=None):
    """One line a name, one column for each figure that any of them has. by_name: {name: {key: Spread}}."""
    shown = [figure for figure in figures if any(figure.key in spreads for spreads in by_name.values())]

    def cell(spreads, figure):
        spread = spreads.get(figure.key)
        return spread.text(figure.places if places is None else places) if spread else ""

    lines = [[name, *(cell(spreads, figure) for figure in shown)] for name, spreads in by_name.items()]
    return table([first_heading, *(figure.heading for figure in shown)], lines)
