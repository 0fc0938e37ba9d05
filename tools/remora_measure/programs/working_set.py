"""Measures the memory that a sidecar is charged in a separate memory cgroup with cold caches: the working set as the kubelet calculates it, and RSS.

Before a start, none of the image's files are in the kernel's cache, so that the cgroup is charged for each page that the sidecar reads. Swap is off in the
cgroup, and its limit is never reached unless --limit sets another one. "private" is memory that cannot be shared with other processes: anonymous pages, and
file pages that were written to. --others 0,19 measures the first and the twentieth sidecar on a node. The other sidecars of the image run without load in
another cgroup, which is charged for the pages that they share.

Exit status: 0, 1 if a request failed, 3 if it could not run. The program needs root to create the cgroup.
"""
import argparse
import json
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from .. import arms, spread, storms
from ..command_line import Parser, described, end_with, new_folder, say
from ..errors import CouldNotRun, RequestsFailed
from ..load import java_tools
from ..machine import kernel, mappings
from ..markdown import spread_table
from ..runs import require_none_failed
from ..spread import Figure
from ..systems import herd, sidecars
from .storm import size

FIGURES = (Figure("working_set_mb", "working set", 1), Figure("group_anon_mb", "of it anonymous", 1), Figure("active_file_mb", "active file", 1),
           Figure("private_mb", "private", 1), Figure("rss_mb", "RSS", 1), Figure("peak_rss_mb", "peak RSS", 1))
ROOM = 1 << 30


def with_others(image: str, others: int, bench: arms.Bench, options: argparse.Namespace) -> dict[str, float]:
    """The figures of one start while others of its image run. Raises RequestsFailed."""
    sidecars.evict(image)
    if not others:
        return measure(image, bench, options)
    crowd = herd.Herd(herd.of_image(image, bench.java_home), others, bench.work, bench.ports.backend)
    try:
        return measure(image, bench, options)
    finally:
        crowd.stop()


def measure(image: str, bench: arms.Bench, options: argparse.Namespace) -> dict[str, float]:
    """The figures of one start, in MB, after some seconds of load. Raises RequestsFailed."""
    proxy = storms.Process(image, options.limit, bench.work, bench.ports, variables={"REMORA_RPS": str(options.rate)})
    try:
        with java_tools.LoadSession(bench.work, bench.java_home, bench.log, bench.ports) as session:
            require_none_failed(session.run(options.rate, options.connections, 1, options.seconds)["failed"])
        pid = proxy.pid()
        return {**proxy.group.parts(), "cgroup": proxy.group.version, "private_mb": mappings.private_mb(pid), "rss_mb": kernel.status(pid, "VmRSS"),
                "peak_rss_mb": kernel.status(pid, "VmHWM")}
    finally:
        proxy.end()


def numbers(text: str) -> list[int]:
    return [int(word) for word in text.split(",")]


def row(image: str, others: int) -> str:
    return f"{image}, {others} others" if others else image


def read_arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    parser = Parser("working-set", __doc__)
    parser.add_argument("--image", default="i386-client,amd64-c1", help="names of runtime images, separated by commas")
    parser.add_argument("--others", type=numbers, default="0", help="number of other sidecars of the image that run meanwhile; several numbers separated by commas")
    parser.add_argument("--limit", type=size, default=ROOM, help="memory limit of the cgroup")
    parser.add_argument("--seconds", type=float, default=30, help="seconds of load before each measurement")
    parser.add_load(rounds=3)
    arms.add_backend_arguments(parser)
    parser.add_reports()
    return parser.parse_args(words)


def run(options: argparse.Namespace) -> int:
    if os.geteuid() != 0:
        raise CouldNotRun("it makes a memory cgroup, which root may")
    names = options.image.split(",")
    for name in names:
        sidecars.require_image(name)
    arms_of = {row(name, others): (name, others) for name in names for others in options.others}
    found: dict[str, list[dict[str, float]]] = {title: [] for title in arms_of}
    result: dict[str, Any] = {**kernel.when_and_where(), "options": described(options), "failure": None, "runs": found}
    directory = new_folder(options.reports, "working-set")
    with tempfile.TemporaryDirectory(prefix="working-set.") as work, arms.bench(Path(work), options.backend, options.body) as bench:
        try:
            for number in range(options.rounds):
                for title, (name, others) in arms_of.items():
                    say(f"round {number + 1}: {title}")
                    found[title].append(with_others(name, others, bench, options))
                    (directory / "working-set.json").write_text(json.dumps(result, indent=1))
        except RequestsFailed as failed:
            result["failure"] = str(failed)
    (directory / "working-set.json").write_text(json.dumps(result, indent=1))
    text = table(found)
    (directory / "working-set.md").write_text(text + "\n")
    print(text)
    return 1 if result["failure"] else 0


def table(found: dict[str, list[dict[str, float]]]) -> str:
    spreads = {name: spread.by_figure(runs, FIGURES) for name, runs in found.items() if runs}
    versions = sorted({int(run["cgroup"]) for runs in found.values() for run in runs})
    return "\n".join([spread_table("MB", spreads, FIGURES), *(f"\nMemory cgroup of version {version}, swap off in it." for version in versions)])


def main(words: Sequence[str] | None = None) -> NoReturn:
    end_with("working-set", lambda: run(read_arguments(words)))


if __name__ == "__main__":
    main()
