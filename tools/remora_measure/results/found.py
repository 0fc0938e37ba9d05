"""Common parts of all comparisons."""
import json
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..machine import cgroups, kernel


class Found:
    """left_out says of each system that could not run why, and failure why the measurement stopped, or None. failed_arms tells the runs that did not end, after
    which it went on with the next arm."""

    def __init__(self, options: Mapping[str, Any], versions: Mapping[str, str | None]) -> None:
        self.options, self.versions = options, versions
        self.at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        self.machine, self.swap = kernel.describe_machine(), "off" if cgroups.machine_has_no_swap() else "on"
        self.left_out: dict[str, str] = {}
        self.failure: str | None = None
        self.failed_arms: list[dict[str, Any]] = []

    def fail(self, number: int, arm: str, why: str) -> None:
        """Of an arm in a round, counted from 0."""
        self.failed_arms.append({"round": number + 1, "arm": arm, "why": why})

    def has_failed(self, arm: str) -> bool:
        return any(one["arm"] == arm for one in self.failed_arms)

    def describe(self) -> dict[str, Any]:
        """The whole result, as it is written in JSON."""
        return {"at": self.at, "machine": self.machine, "swap": self.swap, "options": self.options, "versions": self.versions, "left_out": self.left_out, "failure": self.failure,
                "failed_arms": self.failed_arms}

    def write(self, targets: Iterable[Path]) -> None:
        for target in targets:
            target.write_text(json.dumps(self.describe(), indent=1))

    def where(self) -> str:
        return f"{self.machine['cpu']}, {self.machine['cores']} cores, Linux {self.machine['kernel']}; {self.at[:10]}"

    def taken(self, rows: Iterable[tuple[str, Mapping[str, Any] | None]]) -> str:
        """A text on how private memory and working sets were measured in these rows of named systems; empty where there are none."""
        there = [(name, row) for name, row in rows if row and row.get("private_mb") is not None]
        if not there:
            return ""
        versions = sorted({row["cgroup"] for _, row in there if row.get("cgroup")})
        how = f"a memory cgroup of its own, version {versions[0]}" if versions else "smaps_rollup, as no memory cgroup could be made, and no working set"
        told = f"Private memory and working set: by {how}; swap {self.swap}, counted as private."
        return f"{told} {coldness(there)}" if versions else told

    def stopped(self) -> str:
        """Why it stopped, and which arms failed; empty where it came to its end with all of them."""
        failed = "; ".join(f"round {one['round']}, arm {one['arm']}: {one['why']}" for one in self.failed_arms)
        return "\n\n".join([*([f"**Stopped, and not to be trusted: {self.failure}.**"] if self.failure else []), *([f"**Failed: {failed}.**"] if failed else [])])

    def ending(self) -> str:
        """The versions, and who was left out."""
        return "\n".join([*(f"- {text}" for text in self.versions.values() if text), *(f"- left out: {why}" for why in self.left_out.values())])


def coldness(rows: Sequence[tuple[str, Mapping[str, Any]]]) -> str:
    """A sentence that names the systems that did not always start with their files out of the kernel's cache."""
    warm = dict.fromkeys(name for name, row in rows if not row.get("cold"))
    return "Each system started with its files out of the kernel's cache" + (f", except {', '.join(warm)}, whose files were cached as they were." if warm else ".")


class InRounds(Found):
    """rows: {name: [figures of round 1, ...]}, None for a round that it did not come to. missed tells the runs in which the backend was not sent the planned rate."""

    def __init__(self, options: Mapping[str, Any], versions: Mapping[str, str | None]) -> None:
        super().__init__(options, versions)
        self.rows: dict[str, list[dict[str, Any] | None]] = {}
        self.missed: list[str] = []

    def keep(self, number: int, name: str, row: dict[str, Any]) -> None:
        kept = self.rows.setdefault(name, [])
        kept += [None] * (number - len(kept))
        kept.append(row)
        if row.get("rate_missed"):
            self.missed.append(f"round {number + 1}, {name}: {row['rate_rps']:.0f} requests a second of {self.options['rate']}")

    def at_round(self, name: str, number: int) -> dict[str, Any] | None:
        return at(self.rows.get(name, []), number)

    def head(self, asked: str) -> list[str]:
        """What ran, and what came of it."""
        done = max(map(len, self.rows.values()), default=0)
        return [f"{asked}; {done} rounds, median (least to most); {self.where()}", self.stopped(), "Rates missed: " + "; ".join(self.missed) if self.missed else ""]


def at(rows: Sequence[dict[str, Any] | None], number: int) -> dict[str, Any] | None:
    """The row of a round; None of one that it did not come to."""
    return rows[number] if number < len(rows) else None
