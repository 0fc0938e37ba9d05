"""What comparisons with bars have in common: every round's figures by arm, the spreads of these, and how they are written."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from .. import spread
from ..markdown import aligned_table, spread_table
from ..spread import Figure, Spread
from .found import InRounds

Row = dict[str, Any]


class Arm(Protocol):
    """What an arm is about."""

    @property
    def name(self) -> str: ...

    def _asdict(self) -> dict[str, Any]: ...


A = TypeVar("A", bound=Arm)


class BarredComparison(InRounds, Generic[A]):
    """arms: what each of rows is about."""

    TABLES: ClassVar[Mapping[str, Sequence[Figure]]] = {}
    # Columns of the table of targets, above the cells that show the results.
    HEADINGS: ClassVar[Sequence[str]] = ()

    def __init__(self, options: Mapping[str, Any], versions: Mapping[str, str | None]) -> None:
        super().__init__(options, versions)
        self.arms: dict[str, A] = {}

    def compared(self, about: A, number: int, row: Row | None) -> Row | None:
        """The row with its figures against others of its round."""
        raise NotImplementedError

    def judged(self) -> list[dict[str, Any]]:
        """Each bar on each arm that it is for; the median of the rounds decides."""
        raise NotImplementedError

    def asked(self) -> str:
        """What was asked of every system, for a reader."""
        raise NotImplementedError

    def limit(self, one: Mapping[str, Any]) -> str:
        """The bar of a judgement, for a reader."""
        raise NotImplementedError

    def expect(self, about: A) -> None:
        """Announces an arm, so that its bars are reported even if it yields no figure."""
        self.arms.setdefault(about.name, about)

    def add(self, number: int, about: A, row: Row) -> None:
        self.arms[about.name] = about
        self.keep(number, about.name, row)

    def row(self, about: A, number: int) -> Row | None:
        return self.at_round(about.name, number)

    def completed(self) -> dict[str, list[Row | None]]:
        """The rows with their figures against others in their rounds."""
        return {name: [self.compared(about, number, row) for number, row in enumerate(self.rows.get(name, []))] for name, about in self.arms.items()}

    def spreads(self, figures: Sequence[Figure]) -> dict[str, dict[str, Spread]]:
        """By name, without the arms that have none of these figures."""
        found = {name: spread.by_figure([row for row in rows if row], figures) for name, rows in self.completed().items()}
        return {name: by_key for name, by_key in found.items() if by_key}

    def describe(self) -> dict[str, Any]:
        figures = [figure for table in self.TABLES.values() for figure in table]
        return {**super().describe(), "missed": self.missed, "arms": {name: about._asdict() for name, about in self.arms.items()},
                "bars": self.judged(), "rounds": self.completed(),
                "figures": {name: {key: found._asdict() for key, found in one.items()} for name, one in self.spreads(figures).items()}}

    def is_told(self, figure: Figure) -> bool:
        """Whether it is shown of each run."""
        return True

    def line(self, row: Row) -> str:
        """One run's figures, for a watching user."""
        return "; ".join(f"{row[figure.key]:.{figure.places}f} {figure.heading}" for figures in self.TABLES.values() for figure in figures
                         if row.get(figure.key) is not None and self.is_told(figure))

    def markdown(self) -> str:
        """What ran, the bars, and the tables: medians, and in brackets the least and the most of the rounds."""
        busy = "; next to a competing load, one process on each core that computes all the time" if self.options.get("busy") else ""
        parts = self.head(self.asked() + busy)
        if judged := self.judged():
            parts.append(aligned_table(list(self.HEADINGS), [self.cells(one) for one in judged]))
        parts += [table for number, (heading, figures) in enumerate(self.TABLES.items()) if (table := self.table(heading, figures, is_first=number == 0))]
        parts.append(self.taken((name, row) for name, rows in self.rows.items() for row in rows))
        parts.append(self.ending())
        return "\n\n".join(part for part in parts if part) + "\n"

    def table(self, heading: str, figures: Sequence[Figure], is_first: bool) -> str:
        """One row for each arm that has some of the figures. In the first table also for each that failed, so that no arm is missing."""
        spreads = self.spreads(figures)
        if is_first:
            spreads = {name: spreads.get(name, {}) for name in self.arms if name in spreads or self.has_failed(name)}
        return spread_table(heading, spreads, figures, failed=[name for name in spreads if self.has_failed(name)]) if spreads else ""

    def unmeasured(self, name: str) -> str:
        """The result of a bar without a figure."""
        return "failed" if self.has_failed(name) else "not measured"

    def cells(self, one: Mapping[str, Any]) -> list[str]:
        measured = Spread(**one["measured"]).text(one["places"]) if one["measured"] else ""
        return [one["figure"], one["arm"], measured, self.limit(one), "**missed**" if one["result"] == "missed" else one["result"]]
