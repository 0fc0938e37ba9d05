"""What comparisons with bars have in common: every round's figures by arm, the spreads of these, and how they are written."""
from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from .. import spread
from ..machine import kernel
from ..markdown import aligned_table, spread_table
from ..spread import Figure, Spread

Row = dict[str, Any]


class Arm(Protocol):
    """What an arm is about."""

    @property
    def name(self) -> str: ...

    def _asdict(self) -> dict[str, Any]: ...


A = TypeVar("A", bound=Arm)


class BarredComparison(Generic[A]):
    """rows: {arm: [figures of round 1, ...]}, None for a round that an arm did not come to. failure is why it stopped, or None."""

    TABLES: ClassVar[Mapping[str, Sequence[Figure]]] = {}
    # Of the table of bars; below them stand the cells that judgements are shown by.
    HEADINGS: ClassVar[Sequence[str]] = ()

    def __init__(self, options: Mapping[str, Any], versions: Mapping[str, str | None]) -> None:
        self.options, self.versions = options, versions
        self.at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        self.machine = kernel.describe_machine()
        self.arms: dict[str, A] = {}
        self.rows: dict[str, list[Row | None]] = {}
        self.left_out: dict[str, str] = {}
        self.missed: list[str] = []
        self.failure: str | None = None

    def compared(self, about: A, number: int, row: Row | None) -> Row | None:
        """The row with what is told against others of its round."""
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
        kept = self.rows.setdefault(about.name, [])
        kept += [None] * (number - len(kept))
        kept.append(row)
        if row.get("rate_missed"):
            self.missed.append(f"round {number + 1}, {about.name}: {row['rate_rps']:.0f} requests a second of {self.options['rate']}")

    def row(self, about: A, number: int) -> Row | None:
        rows = self.rows.get(about.name, [])
        return rows[number] if number < len(rows) else None

    def completed(self) -> dict[str, list[Row | None]]:
        """The rows with what is told against others in their rounds."""
        return {name: [self.compared(about, number, row) for number, row in enumerate(self.rows[name])] for name, about in self.arms.items()}

    def spreads(self, figures: Sequence[Figure]) -> dict[str, dict[str, Spread]]:
        return {name: spread.by_figure([row for row in rows if row], figures) for name, rows in self.completed().items()}

    def describe(self) -> dict[str, Any]:
        """The whole result, as it is written in JSON."""
        figures = [figure for table in self.TABLES.values() for figure in table]
        return {"at": self.at, "machine": self.machine, "options": self.options, "versions": self.versions, "left_out": self.left_out,
                "failure": self.failure, "missed": self.missed, "arms": {name: about._asdict() for name, about in self.arms.items()},
                "bars": self.judged(), "rounds": self.completed(),
                "figures": {name: {key: found._asdict() for key, found in one.items()} for name, one in self.spreads(figures).items()}}

    def write(self, targets: Iterable[Path]) -> None:
        for target in targets:
            target.write_text(json.dumps(self.describe(), indent=1))

    def is_told(self, figure: Figure) -> bool:
        """Whether it is shown of each run."""
        return True

    def line(self, row: Row) -> str:
        """One run's figures, for whoever watches."""
        return "; ".join(f"{row[figure.key]:.{figure.places}f} {figure.heading}" for figures in self.TABLES.values() for figure in figures
                         if row.get(figure.key) is not None and self.is_told(figure))

    def markdown(self) -> str:
        """What ran, the bars, and the tables: medians, and in brackets the least and the most of the rounds."""
        machine, done = self.machine, max(map(len, self.rows.values()), default=0)
        parts = [f"{self.asked()}; {done} rounds, median (least to most); {machine['cpu']}, {machine['cores']} cores, "
                 f"Linux {machine['kernel']}; {self.at[:10]}"]
        parts += [f"**Stopped, and not to be trusted: {self.failure}.**"] if self.failure else []
        parts += ["Rates missed: " + "; ".join(self.missed)] if self.missed else []
        if judged := self.judged():
            parts.append(aligned_table(list(self.HEADINGS), [self.cells(one) for one in judged]))
        parts += [spread_table(heading, spreads, figures) for heading, figures in self.TABLES.items() if (spreads := self.spreads(figures))]
        parts.append("\n".join([*(f"- {text}" for text in self.versions.values() if text),
                                *(f"- left out: {why}" for why in self.left_out.values())]))
        return "\n\n".join(part for part in parts if part) + "\n"

    def cells(self, one: Mapping[str, Any]) -> list[str]:
        measured = Spread(**one["measured"]).text(one["places"]) if one["measured"] else ""
        return [one["figure"], one["arm"], measured, self.limit(one), "**missed**" if one["result"] == "missed" else one["result"]]
