"""Determines the lowest memory limit of a runtime image, out of a list of limits, with which it still works with cold caches.

For each limit, the sidecar is started twice in a separate memory cgroup, with none of its image's files in the kernel's cache. The first start receives a
steady load, and the second one the short storm of ./measure storm. A limit is sufficient if no request of the load fails, p99 is at most 1 ms and p999 at
most 5 ms in the sidecar, and there are fewer than five major faults a second. In addition, the storm must meet all of its own targets, also with fewer than
five major faults a second. The faults are shown together with the pages that the kernel had reclaimed from the cgroup and that were read again. A limit is
not sufficient if the launcher rejects it, or if the sidecar is killed.

Exit status: 0, 1 if none of the limits is sufficient, 3 if it could not run. The program needs root to create the cgroup.
"""
import argparse
import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from .. import arms, storms
from ..command_line import Parser, described, end_with, new_folder, say
from ..conformance import verdict
from ..errors import CouldNotRun
from ..load import java_tools
from ..machine import kernel
from ..markdown import aligned_table
from ..systems import sidecars
from . import storm

MOST_P99_US, MOST_P999_US = 1_000.0 * verdict.P99_MS, 1_000.0 * verdict.P999_MS
FAULTS_A_SECOND_BELOW = 5.0
WARM_UP_S = 5.0
HEADINGS = ("image", "limit, MB", "failed", "p99, us", "p999, us", "major faults a second; pages read again", "storm: canaries, %",
            "storm: major faults a second; pages read again", "holds")


def under_load(image: str, limit: int, bench: arms.Bench, options: argparse.Namespace) -> dict[str, Any]:
    """Failed requests, latencies in the sidecar in us, and a second major faults and pages that were read again. Raises storms.DidNotStart, and OSError if the sidecar ends."""
    sidecars.evict(image)
    proxy = storms.Process(image, limit, bench.work, bench.ports, variables={"REMORA_RPS": str(options.rate)})
    try:
        with java_tools.LoadSession(bench.work, bench.java_home, bench.log, bench.ports) as session:
            failed = session.run(options.rate, options.connections, 0, WARM_UP_S)["failed"]
            session.begin_interval()
            faults, repeated = proxy.group.major_faults(), proxy.group.repeated_reads()
            failed += session.run(options.rate, options.connections, 0, options.seconds)["failed"]
            faults, reread = proxy.group.major_faults() - faults, proxy.group.repeated_reads()
            session.end_interval()
            own = session.latencies()
        return {"failed": failed, "p99_us": own["p99_us"], "p999_us": own["p999_us"],
                "major_faults_a_second": faults / options.seconds, "repeated_reads_a_second": storms.a_second(repeated, reread, options.seconds)}
    finally:
        proxy.end()


def misses(load: Mapping[str, Any], storm_found: dict[str, Any]) -> list[str]:
    """Bars that a limit misses under load and in a storm."""
    bars = (("requests failed", load["failed"], 0.0), ("us at p99", load["p99_us"], MOST_P99_US), ("us at p999", load["p999_us"], MOST_P999_US))
    found = [f"{value:.0f} {words}" for words, value, most in bars if value > most]
    if load["major_faults_a_second"] >= FAULTS_A_SECOND_BELOW:
        found.append(f"{load['major_faults_a_second']:.0f} major faults a second")
    found += [f"storm: {words}" for words in storm_found["missed"]]
    # the storm's own bar is higher, and says so itself
    in_storm = storm_found["major_faults_a_second"] or 0.0
    if FAULTS_A_SECOND_BELOW <= in_storm <= storms.MOST_FAULTS_A_SECOND:
        found.append(f"storm: {in_storm:.0f} major faults a second")
    return found


def measure(image: str, limit: int, bench: arms.Bench, options: argparse.Namespace) -> dict[str, Any]:
    """Both starts under a limit, and what they missed."""
    try:
        load = under_load(image, limit, bench, options)
        sidecars.evict(image)
        [(_, storm_found)] = storm.measure(image, limit, storm.read_arguments(["--short"]))
    except storms.DidNotStart as refused:
        return {"missed": [str(refused)]}
    except OSError as ended:
        return {"missed": [f"it ended under load: {ended}"]}
    return {"load": load, "storm": storm_found, "missed": misses(load, storm_found)}


def sizes(text: str) -> list[int]:
    return [storm.size(word) for word in text.split(",")]


def read_arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    parser = Parser("least-limit", __doc__)
    parser.add_argument("--image", default="i386-client", help="name of a runtime image")
    parser.add_argument("--limits", type=sizes, default="28m,32m,36m,40m", help="memory limits, separated by commas")
    parser.add_argument("--seconds", type=float, default=30, help="seconds of load under each limit")
    parser.add_load(rounds=3)
    arms.add_backend_arguments(parser)
    parser.add_reports()
    return parser.parse_args(words)


def row(image: str, limit: int, found: dict[str, Any]) -> list[str]:
    cells = ["", "", "", "", "", ""]
    if "load" in found:
        load, in_storm = found["load"], found["storm"]
        cells = [f"{load['failed']:.0f}", f"{load['p99_us']:.0f}", f"{load['p999_us']:.0f}", faults_cell(load),
                 f"{in_storm['answered_percent']:.0f}", "" if in_storm["major_faults_a_second"] is None else faults_cell(in_storm)]
    return [image, f"{limit / 1e6:.1f}", *cells, "; ".join(found["missed"]) or "yes"]


def faults_cell(found: Mapping[str, Any]) -> str:
    again = found["repeated_reads_a_second"]
    return f"{found['major_faults_a_second']:.1f}; {'unknown' if again is None else f'{again:.1f}'}"


def table(found: dict[int, list[dict[str, Any]]], image: str) -> str:
    return aligned_table(HEADINGS, [row(image, limit, one) for limit, runs in found.items() for one in runs])


def least(found: dict[int, list[dict[str, Any]]]) -> int | None:
    """The smallest limit that held in each round, with all larger ones."""
    holding = None
    for limit, runs in sorted(found.items(), reverse=True):
        if any(one["missed"] for one in runs):
            break
        holding = limit
    return holding


def run(options: argparse.Namespace) -> int:
    if os.geteuid() != 0:
        raise CouldNotRun("it makes a memory cgroup, which root may")
    sidecars.require_image(options.image)
    found: dict[int, list[dict[str, Any]]] = {limit: [] for limit in options.limits}
    directory = new_folder(options.reports, "least-limit")
    result: dict[str, Any] = {**kernel.when_and_where(), "options": described(options), "image": options.image, "runs": found}
    with tempfile.TemporaryDirectory(prefix="least-limit.") as work, arms.bench(Path(work), options.backend, options.body) as bench:
        for number in range(options.rounds):
            for limit, runs in found.items():
                say(f"round {number + 1}: {options.image} under {limit / 1e6:.1f} MB")
                runs.append(measure(options.image, limit, bench, options))
                (directory / "least-limit.json").write_text(json.dumps(result, indent=1))
    holds = result["least"] = least(found)
    (directory / "least-limit.json").write_text(json.dumps(result, indent=1))
    text = table(found, options.image) + f"\n\nLeast limit: {'none of these' if holds is None else f'{holds / 1e6:.1f} MB'}."
    (directory / "least-limit.md").write_text(text + "\n")
    print(text)
    return 1 if holds is None else 0


def main(words: Sequence[str] | None = None) -> NoReturn:
    end_with("least-limit", lambda: run(read_arguments(words)))


if __name__ == "__main__":
    main()
