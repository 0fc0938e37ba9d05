"""Tables in Markdown. Cells are texts."""
from collections.abc import Collection, Iterable, Mapping, Sequence

from .spread import Figure, Spread


def aligned_table(headings: Sequence[str], lines: Sequence[Sequence[str]], left: int = 1) -> str:
    """A table in columns of equal width, fit to read as it is; the first columns, left of them, are to the left, the others to the right."""
    widths = [max(len(line[column]) for line in [headings, *lines]) for column in range(len(headings))]

    def row(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cell.ljust(width) if column < left else cell.rjust(width)
                                 for column, (cell, width) in enumerate(zip(cells, widths))) + " |"

    rule = "|" + "|".join("-" * (width + 1) + ("-" if column < left else ":") for column, width in enumerate(widths)) + "|"
    return "\n".join([row(headings), rule, *(row(line) for line in lines)])


def compact_table(headings: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """A table whose cells are as wide as their texts, for rows with long sentences in them."""
    rows = [f"| {' | '.join(line)} |" for line in lines]
    return "\n".join([f"| {' | '.join(headings)} |", f"|{'---|' * len(headings)}", *rows])


def spread_table(first_heading: str, by_name: Mapping[str, Mapping[str, Spread]], figures: Iterable[Figure],
                 places: int | None = None, failed: Collection[str] = ()) -> str:
    """One line for each name, and one column for each figure that any of them has. by_name: {name: {key: Spread}}. A figure that a failed name lacks reads so."""
    figures = list(figures)
    shown = [figure for figure in figures if any(figure.key in spreads for spreads in by_name.values())]

    def cell(name: str, figure: Figure) -> str:
        spread = by_name[name].get(figure.key)
        return spread.text(figure.places if places is None else places) if spread else "failed" if name in failed else ""

    # of names that have all failed, the first figure says so
    shown = shown or (figures[:1] if failed else [])
    lines = [[name, *(cell(name, figure) for figure in shown)] for name in by_name]
    return aligned_table([first_heading, *(figure.heading for figure in shown)], lines)
