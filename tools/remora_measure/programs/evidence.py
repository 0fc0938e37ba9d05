"""The evidence for the JVM profiles.

run      measures each family and stores the results in evidence/results/FAMILY.jsonl; existing results are not measured again
report   writes EVIDENCE.md from these files
peaks    writes the measured memory peaks to ../peaks, which determine the profiles that are offered and the memory limits
"""
import argparse
import contextlib
import dataclasses
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import BinaryIO

from ..evidence import families, images, page, peaks, runner
from ..evidence.variants import Family, Variant, Windows
from ..load import java_tools
from ..machine import children, processes
from ..repository import BUILT_IMAGES
from ..systems import peers
from ..systems.configurations import FIXED_PORTS, write_configs


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="evidence", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("run", "plan", "report", "peaks"))
    parser.add_argument("--families", help="names, separated by commas (default: all)")
    parser.add_argument("--arms", help="only variants whose name contains one of these words, separated by commas")
    parser.add_argument("--rounds", type=int, help="number of rounds instead of each family's own")
    parser.add_argument("--warmup", type=float, help="seconds of warm-up instead of each family's own; requires --seconds")
    parser.add_argument("--seconds", type=float, help="seconds to measure, two fifths for memory and the rest for latencies")
    parser.add_argument("--images", type=Path, default=BUILT_IMAGES, help="directory of the built images")
    parser.add_argument("--results", type=Path, default=runner.RESULTS)
    parser.add_argument("--java-home", default=processes.default_java_home())
    options = parser.parse_args()
    if (options.warmup is None) != (options.seconds is None):
        parser.error("--warmup and --seconds go together")
    return options


def wanted(options: argparse.Namespace) -> list[Family]:
    known = families.all_families()
    if not options.families:
        return known
    names = options.families.split(",")
    unknown = set(names) - {family.name for family in known}
    if unknown:
        sys.exit(f"evidence: no family {', '.join(unknown)}; there are {', '.join(family.name for family in known)}")
    return [family for family in known if family.name in names]


def only(family: Family, keep: Callable[[Variant], bool]) -> Family:
    return dataclasses.replace(family, variants=tuple(one for one in family.variants if keep(one)))


def plan(chosen: Sequence[Family], options: argparse.Namespace, windows: Windows | None) -> None:
    """Prints what would be measured, and how long that takes."""
    total = 0.0
    for family in chosen:
        rounds = options.rounds or family.rounds
        remaining = runner.still_to_run(family, rounds, runner.on_file(family.name, options.results))
        seconds = sum(runner.run_seconds(family, one, windows) for _, one in remaining)
        total += seconds
        print(f"{family.name:20} {len(family.variants):3} arms, {rounds} rounds, {len(remaining):4} runs to do, "
              f"{seconds / 60:5.1f} minutes")
    print(f"{'planned':20} {total / 60:.0f} minutes", flush=True)


def run(options: argparse.Namespace) -> None:
    images.require("nginx", "wrk")
    windows = Windows(options.warmup, options.seconds * 0.4, options.seconds * 0.6) if options.seconds else None
    chosen = wanted(options)
    if options.arms:
        words = options.arms.split(",")
        chosen = [only(family, lambda one: any(word in one.name for word in words)) for family in chosen]
    plan(chosen, options, windows)
    if options.command == "plan":
        return
    work = Path(tempfile.mkdtemp(prefix="evidence."))
    write_configs(work)
    try:
        with open(work / "log", "wb") as log:
            measure_all(chosen, options, windows, work, log)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def measure_all(chosen: Sequence[Family], options: argparse.Namespace, windows: Windows | None, work: Path, log: BinaryIO) -> None:
    with contextlib.ExitStack() as started:
        nginx = peers.start_nginx_backend(work, log)
        started.callback(children.stop, nginx)
        session = java_tools.LoadSession(work, options.java_home, log, FIXED_PORTS)
        started.callback(session.close)
        hiccups = java_tools.HiccupMeter(options.java_home, log)
        started.callback(hiccups.close)
        known = images.Images(options.images, options.java_home, work, log)
        missing = known.prepare([one for family in chosen for one in family.variants])
        if not peers.envoy_program():
            missing[""] = "no envoy on the PATH"
        for image, problem in missing.items():
            print(f"left out: {image or 'envoy'}: {problem}", file=sys.stderr)
        session.prepare(lambda: session.run(2000, 16, 3, 1, port=FIXED_PORTS.backend))
        one = runner.Runner(work, log, session, hiccups, known, options.results)
        for family in chosen:
            one.run(only(family, lambda variant: variant.image not in missing), options.rounds or family.rounds, windows)


def main() -> None:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("evidence: ended by a signal"))
    options = read_arguments()
    if options.command == "report":
        page.write(options.results)
    elif options.command == "peaks":
        peaks.write(options.results)
    else:
        run(options)


if __name__ == "__main__":
    main()
