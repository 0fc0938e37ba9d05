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

    def add(self, number: int, about: A, row: Row) -> None:
        self.arms[about.name] = about
        self.keep(number, about.name, row)

    def row(self, about: A, number: int) -> Row | None:
        return self.at_round(about.name, number)

    def completed(self) -> dict[str, list[Row | None]]:
        """The rows with their figures against others in their rounds."""
        return {name: [self.compared(about, number, row) for number, row in enumerate(self.rows[name])] for name, about in self.arms.items()}

    def spreads(self, figures: Sequence[Figure]) -> dict[str, dict[str, Spread]]:
        return {name: spread.by_figure([row for row in rows if row], figures) for name, rows in self.completed().items()}

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
        parts = self.head(self.asked())
        if judged := self.judged():
            parts.append(aligned_table(list(self.HEADINGS), [self.cells(one) for one in judged]))
        parts += [spread_table(heading, spreads, figures) for heading, figures in self.TABLES.items() if (spreads := self.spreads(figures))]
        parts.append(self.ending())
        return "\n\n".join(part for part in parts if part) + "\n"

    def cells(self, one: Mapping[str, Any]) -> list[str]:
        measured = Spread(**one["measured"]).text(one["places"]) if one["measured"] else ""
        return [one["figure"], one["arm"], measured, self.limit(one), "**missed**" if one["result"] == "missed" else one["result"]]
