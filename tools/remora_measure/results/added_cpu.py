"""What a mesh or features add to the CPU time of a request: every round's figures, and the bars that are met or missed."""
import statistics
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .. import spread
from ..arms import WITH_FEATURES, WITH_MESH
from ..spread import Figure
from .barred_comparison import BarredComparison, Row

# The same image again, which shows how accurate the measurement is.
WITH_NOTHING = "+nothing"
BARS = {WITH_MESH: 10, WITH_FEATURES: 12}
# Share of the time in which a sidecar runs or waits for its core, from which on it limits the throughput.
BUSY = 0.9
ADDED = Figure("added_percent", "added CPU per request, %", 1)
TABLES = {"CPU per request": (
    ADDED, Figure("low_percent", "lower quartile of blocks, %", 1), Figure("high_percent", "upper quartile, %", 1),
    Figure("plain_cpu_us", "without, us", 1), Figure("cpu_us", "with, us", 1), Figure("rps", "rps of each"),
    Figure("busy", "busy share", 2), Figure("steal_share", "stolen CPU share", 3),
)}


class About(NamedTuple):
    image: str
    variant: str

    @property
    def name(self) -> str:
        return self.image + self.variant


class Spent(NamedTuple):
    """What a sidecar spent in a block. busy is the share of the time in which it ran or waited for its core."""

    cpu_s: float
    requests: int
    seconds: float
    busy: float

    @property
    def cpu_us(self) -> float:
        return 1e6 * self.cpu_s / self.requests


class Block(NamedTuple):
    """Both sidecars of an image, loaded at the same time: without a variant and with it."""

    plain: Spent
    other: Spent

    @property
    def added_percent(self) -> float:
        return 100 * (self.other.cpu_us / self.plain.cpu_us - 1)


def row(blocks: Sequence[Block]) -> Row:
    """The figures of a round, as medians of its blocks."""
    added = [block.added_percent for block in blocks]
    low, _, high = statistics.quantiles(added, n=4, method="inclusive") if len(added) > 1 else added * 3
    return {
        "added_percent": statistics.median(added), "low_percent": low, "high_percent": high, "blocks_percent": added,
        "plain_cpu_us": statistics.median(block.plain.cpu_us for block in blocks),
        "cpu_us": statistics.median(block.other.cpu_us for block in blocks),
        "rps": statistics.median(side.requests / side.seconds for block in blocks for side in block),
        "busy": statistics.median(min(side.busy for side in block) for block in blocks),
    }


class AddedCpu(BarredComparison[About]):
    """Each arm is an image with a variant; its rows have the figures of the image without it as well."""

    TABLES = TABLES
    HEADINGS = ("bar", "arm", "measured", "at most", "result")

    def compared(self, about: About, number: int, row: Row | None) -> Row | None:
        return row

    def judged(self) -> list[dict[str, Any]]:
        rows = self.completed()
        return [self.judgement(name, BARS[about.variant], [row for row in rows[name] if row])
                for name, about in self.arms.items() if about.variant in BARS]

    def judgement(self, name: str, most: float, rows: Sequence[Row]) -> dict[str, Any]:
        """met, missed, inconclusive where the sidecar was not the bottleneck, or not measured."""
        found = spread.of_key(rows, ADDED.key)
        if found is None:
            result = self.unmeasured(name)
        elif any(row["busy"] < BUSY for row in rows):
            result = "inconclusive"
        else:
            result = "met" if found.median <= most else "missed"
        return {"figure": ADDED.heading, "key": ADDED.key, "arm": name, "measured": found._asdict() if found else None, "most": most,
                "places": ADDED.places, "result": result}

    def asked(self) -> str:
        asked = self.options
        return (f"closed loops on both sidecars at the same time, over {asked['connections']} connections each, {asked['body']:,} bytes; "
                f"{asked['blocks']} blocks of {asked['seconds']} s in each round")

    def limit(self, one: Mapping[str, Any]) -> str:
        return f"{one['most']:g}"
