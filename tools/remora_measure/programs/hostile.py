"""Tests all kinds of hostile peers with all JVM profiles, each on a separate sidecar under the lowest memory limit that the launcher accepts."""
from __future__ import annotations

import argparse
import json
import os
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .. import hostile_runs
from ..command_line import new_folder, say
from ..errors import CouldNotRun
from ..hostile_runs import Profile
from ..load.hostile_kinds import KINDS
from ..machine import kernel
from ..markdown import aligned_table
from ..systems import sidecars

SECONDS = 6.0
# Options of a storm, which a matrix does not have.
OF_STORMS = ("container", "tls", "h2", "least", "short", "give_back", "only", "memories", "together_seconds")
HEADS = ("kind", "image", "profile", "limit, MB", "survived", "exit status", "canaries: 200", "503", "failed", "p99, ms", "peak RSS, MB",
         "refused or cut", "bars")


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--hostile", action="store_true", help=f"run each kind of hostile peers instead of storms, for {SECONDS:g} s unless --seconds is "
                        "given, under the smallest limit of each profile of the image")
    parser.add_argument("--kind", help=f"with --hostile, only these kinds, separated by commas: {', '.join(KINDS)}")
    parser.add_argument("--profile", help="with --hostile, only these profiles, separated by commas, such as rps-1000")


def chosen(asked: str | None, known: Iterable[str], what: str) -> list[str]:
    """The known names that are asked for, or all. Raises CouldNotRun where one is not known."""
    there = list(known)
    names = asked.split(",") if asked else there
    if unknown := [name for name in names if name not in there]:
        raise CouldNotRun(f"there is no {what} {', '.join(unknown)}; there are {', '.join(there)}")
    return [name for name in there if name in names]


def wanted(options: argparse.Namespace) -> tuple[list[str], list[Profile]]:
    """The kinds and the profiles. Raises CouldNotRun."""
    if misplaced := [f"--{key.replace('_', '-')}" for key in OF_STORMS if getattr(options, key)]:
        raise CouldNotRun(f"{', '.join(misplaced)}: not with --hostile")
    offered = [profile for image in options.image.split(",") for profile in hostile_runs.profiles(image)]
    names = chosen(options.profile, dict.fromkeys(profile.name for profile in offered), "profile")
    return chosen(options.kind, KINDS, "kind"), [profile for profile in offered if profile.name in names]


def run(options: argparse.Namespace) -> int:
    kinds, profiles = wanted(options)
    for image in dict.fromkeys(profile.image for profile in profiles):
        sidecars.require_image(image)
    if os.geteuid() != 0:
        raise CouldNotRun("it makes a memory cgroup, which root may")
    directory = new_folder(options.reports, "storm-hostile")
    everything: dict[str, Any] = {**kernel.when_and_where(), "seconds": options.seconds, "rows": []}
    for profile in profiles:
        for kind in kinds:
            say(f"{profile.image}, {profile.name}, {profile.limit / 1e6:.2f} MB: {kind}")
            row = {"kind": kind, **profile._asdict(), **measured(kind, profile, options.seconds, directory)}
            everything["rows"].append(row)
            # as it grows: a later one may not run
            (directory / "hostile.json").write_text(json.dumps(everything, indent=1))
            say(", ".join(row["broken"] + row["late"]) or "every bar met")
    text = table(everything["rows"])
    (directory / "hostile.md").write_text(text + "\n")
    print(text)
    return status(everything["rows"])


def measured(kind: str, profile: Profile, seconds: float, directory: Path) -> dict[str, Any]:
    """A row; what a sidecar wrote that missed a bar stays in the folder of the run."""
    with tempfile.TemporaryDirectory(prefix="hostile.") as work:
        row = hostile_runs.measure(kind, profile, seconds, Path(work))
        if row["broken"] or row["late"]:
            shutil.copy(Path(work, "proxy.log"), directory / f"{profile.image}-{profile.name}-{kind}.log")
        return row


def table(rows: Iterable[dict[str, Any]]) -> str:
    return aligned_table(HEADS, [cells(row) for row in rows])


def cells(row: dict[str, Any]) -> list[str]:
    bars = ", ".join(row["broken"] + row["late"]) or "met"
    first = [row["kind"], row["image"], row["name"], f"{row['limit'] / 1e6:.2f}"]
    if not row["started"]:
        return [*first, "no", str(row["exit_status"]), *["-"] * (len(HEADS) - len(first) - 3), bars]
    return [*first, "yes" if row["survived"] else "no", str(row["exit_status"]), str(row["ok"]), str(row["busy"]), str(row["failed"]),
            "-" if row["p99_ms"] is None else f"{row['p99_ms']:.0f}", f"{row['rss_mb']:.1f}",
            "-" if row["refused"] is None else f"{sum(row['refused'].values()):.0f}", bars]


def status(rows: Iterable[dict[str, Any]]) -> int:
    """The exit status, as of storms: 1 where a sidecar ended or kept others out, 2 where only bars of time were missed."""
    judged = list(rows)
    return 1 if any(row["broken"] for row in judged) else 2 if any(row["late"] for row in judged) else 0
