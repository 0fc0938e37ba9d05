"""What a flag changes beyond the spread of its runs, and when it stays for that."""
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .. import spread

# One run as it lies on file.
Record = Mapping[str, Any]

# Figures that judge a flag, with their unit and the digits shown.
METRICS = {"rss_mb": ("RSS", "MB", 1), "cpu_us": ("CPU", "us", 1), "p99_us": ("p99", "us", 0), "p999_us": ("p999", "us", 0)}


class Effect(NamedTuple):
    """What one arm has more than another, where that is beyond the spread of both. All metrics are better when lower."""

    metric: str
    change: float

    def __str__(self) -> str:
        name, unit, digits = METRICS[self.metric]
        shown = f"{self.change:+.{digits}f}"
        if not float(shown):
            shown = f"{self.change:+.2g}"
        return f"{name} {shown.replace('-', '−')} {unit}"


def effects(records: Sequence[Record], against: Sequence[Record]) -> list[Effect]:
    """What the runs of records changed over those of against, beyond the spread."""
    found = []
    for metric in METRICS:
        new, old = spread.of_key(records, metric), spread.of_key(against, metric)
        if new and old and new.apart(old):
            found.append(Effect(metric, new.median - old.median))
    return found


class Verdict(NamedTuple):
    kept: bool
    reason: str

    def __str__(self) -> str:
        return f"{'kept' if self.kept else 'drop'}: {self.reason}"


def judge(with_it: Sequence[Record], without_it: Sequence[Record], bounds: str | None = None) -> Verdict:
    """A flag stays for what it gains beyond the spread, or for what it bounds; its cost is reported either way."""
    if any("failed" in record for record in without_it):
        return Verdict(True, f"nothing starts without it ({without_it[0]['failed']})")
    found = effects(with_it, without_it)
    gains = ", ".join(str(effect) for effect in found if effect.change < 0)
    costs = ", ".join(str(effect) for effect in found if effect.change > 0)
    told = f" (costs {costs})" if costs else ""
    if gains:
        return Verdict(True, gains + told)
    if bounds:
        return Verdict(True, f"bounds {bounds}" + (told or ", no effect beyond the spread"))
    return Verdict(False, f"costs {costs}, gains nothing" if costs else "no effect beyond the spread")


def overall(verdicts: Sequence[Verdict]) -> Verdict:
    """Of one flag in several profiles: kept where one keeps it, for a gain rather than for a bound."""
    kept = [verdict for verdict in verdicts if verdict.kept]
    gained = [verdict for verdict in kept if not verdict.reason.startswith("bounds ")]
    return (gained or kept or verdicts)[0]


def read_choice(chosen: Sequence[Record], against: Sequence[Record]) -> str:
    """One line about another choice than the profile's."""
    if any("failed" in record for record in chosen):
        return f"does not run: {chosen[0]['failed']}"
    found = effects(chosen, against)
    gains = ", ".join(str(effect) for effect in found if effect.change < 0)
    costs = ", ".join(str(effect) for effect in found if effect.change > 0)
    if not found:
        return "no effect beyond the spread"
    return "; ".join(part for part in (gains and f"gains {gains}", costs and f"costs {costs}") if part)
