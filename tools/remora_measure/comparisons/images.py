"""Compares the sidecar's runtime images with Envoy, HAProxy and nginx: memory, CPU, latency at a fixed rate, and closed-loop throughput.

Each round restarts all systems one after the other (A B C, A B C, ...) with the same backend, so that a machine whose speed changes affects all of them
equally. One run goes directly to the backend. The latency that the others add is reported relative to it, for each round.

Exit status: 0, 1 if a request failed or a load did not end, 3 if it could not run.
"""
import argparse
import contextlib
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from .. import arms, herd_runs
from ..command_line import Parser, described, end_with, new_folder, say
from ..contenders import Run, in_rounds
from ..errors import CouldNotRun, RequestsFailed
from ..load import collector, java_tools
from ..results.comparison import DIRECT, Comparison
from ..runs import Load, closed_loop, failure_of, fixed_rate
from ..systems import herd, peers, sidecars

# Requests to each of a herd, and the rest after them.
HERD_REQUESTS, HERD_REST_S = 2000, 10.0
IMAGES = ("i386-client", "compact3-amd64", "amd64-c1", "amd64-tiered", "compact3-386-finagle", "compact3-amd64-finagle")


def contenders(bench: arms.Bench, options: argparse.Namespace) -> list[arms.Arm]:
    """The arms in their order, those that cannot run among them."""
    known = [*(arms.image_arm(bench, image, options.rate) for image in IMAGES), arms.before_arm(bench, arms.FINAGLE_BEFORE),
             *arms.peer_arms(bench, options.envoy), arms.Arm(DIRECT)]
    wanted = options.only.split(",") if options.only else [arm.name for arm in known]
    extra = [arms.image_arm(bench, name, options.rate) for name in wanted if name not in IMAGES and sidecars.is_image(name)]
    images = (*IMAGES, *(arm.name for arm in extra))
    extra += [arms.variant_arm(bench, image, variant, options.rate) for image in images for variant in arms.VARIANTS if image + variant in wanted]
    unknown = set(wanted) - {arm.name for arm in known + extra}
    if unknown:
        raise CouldNotRun(f"there is no {', '.join(sorted(unknown))} to compare")
    return [arm for arm in extra + known if arm.name in wanted or arm.name == DIRECT]


def measure(arm: arms.Arm, bench: arms.Bench, options: argparse.Namespace, session: java_tools.LoadSession,
            hiccups: java_tools.HiccupMeter) -> dict[str, Any]:
    """A row of figures of one run. Raises RequestsFailed."""
    load = Load(options.rate, options.connections, options.warmup, options.seconds, options.wire)
    if arm.name == DIRECT:
        return fixed_rate(None, bench, load, session, hiccups)
    traced = arm.name.endswith(arms.WITH_FEATURES)
    with collector.running(bench.ports.backend) if traced else contextlib.nullcontext(), arms.running(arm, bench.ports, charged=True) as system:
        row = {"start_s": system.start_s, **fixed_rate(system, bench, load, session, hiccups)}
        if options.closed:
            row.update(closed_loop(system, bench, options.closed))
        if traced:
            row["spans"] = require_spans(collector.count(bench.ports.backend))
    if system.group:
        # that start read its files from the disk
        with arms.running(arm, bench.ports) as again:
            row["start_s"] = again.start_s
    return row


def marginal(arm: arms.Arm, bench: arms.Bench, options: argparse.Namespace) -> dict[str, Any]:
    """Memory that the node loses for each of several, in MB; empty for an arm that cannot be several. Raises RequestsFailed."""
    peer = next((one for one in peers.PEERS if one.name == arm.name and one.name in peers.CONFIGURATIONS), None)
    program = peers.program(peer.name, options.envoy) if peer else None
    if peer and program:
        start = herd.of_peer(peer, program)
    elif sidecars.is_image(arm.name) and arm.name not in sidecars.CONTAINERS:
        start = herd.of_image(arm.name, bench.java_home)
    else:
        return {}
    found = herd_runs.measure(bench, start, options.herd, HERD_REQUESTS, HERD_REST_S)["rested"]
    return {key: None if found[key] is None else found[key] / options.herd for key in ("marginal_mb", "kept_mb")}


def require_spans(count: int) -> int:
    """What traces nothing must not be told as what tracing takes."""
    if not count:
        raise RequestsFailed("no span has come to the collector")
    return count


def rounds(bench: arms.Bench, options: argparse.Namespace, told: Comparison, save: Callable[[], None]) -> None:
    """Fills a Comparison, and has it saved after every run."""
    there = []
    for arm in contenders(bench, options):
        if arm.missing:
            told.left_out[arm.name] = arm.missing
            say(f"left out: {arm.missing}")
        else:
            there.append(arm)
    with java_tools.LoadSession(bench.work, bench.java_home, bench.log, bench.ports) as session, \
            java_tools.HiccupMeter(bench.java_home, bench.log) as hiccups:
        session.prepare(lambda: session.run(min(options.rate, 1000), options.connections, 1, max(1, options.warmup / 2), port=bench.ports.backend))

        def run(arm: arms.Arm) -> Run:
            def measured() -> dict[str, Any]:
                row = measure(arm, bench, options, session, hiccups)
                if options.herd:
                    row.update(marginal(arm, bench, options))
                return row

            return Run(arm.name, measured, lambda number, row: told.keep(number, arm.name, row))

        in_rounds(options.rounds, lambda _number: [run(arm) for arm in there], told, save, (session, hiccups))


def read_arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    parser = Parser("compare --what images", __doc__)
    parser.add_load(5)
    arms.add_backend_arguments(parser)
    parser.add_argument("--warmup", type=float, default=8, help="seconds")
    parser.add_argument("--seconds", type=float, default=14, help="seconds of the steady window at the fixed rate")
    parser.add_argument("--closed", type=float, default=6, help="seconds of closed loop over 64 connections; 0 disables it")
    parser.add_argument("--herd", type=int, default=0, help="in each round, also start this number of each at once and measure the marginal cost; with 20, "
                        "it takes a minute for each")
    parser.add_argument("--no-wire", dest="wire", action="store_false", help="do not capture packets")
    parser.add_argument("--only", help="names, separated by commas: host, i386 and compact3 (containers), and any directory in runtime-images/target; append +mesh for three "
                        "endpoints with all features for several endpoints, or +features for tracing, a rate limit, rewrites and weighted clusters")
    parser.add_argument("--envoy", help="path of the envoy binary")
    parser.add_argument("--json", type=Path, help="also write the figures of each round to this file")
    parser.add_reports()
    return parser.parse_args(words)


def run(options: argparse.Namespace) -> int:
    directory = new_folder(options.reports, "compare")
    told = Comparison(described(options), peers.versions(("envoy", "haproxy", "nginx"), options.envoy))
    targets = [directory / "compare.json", *([options.json] if options.json else [])]
    # not below reports: nginx's worker, another user, must be able to read there
    with tempfile.TemporaryDirectory(prefix="compare.") as work, \
            arms.bench(Path(work), options.backend, options.body) as bench:
        told.failure = failure_of(lambda: rounds(bench, options, told, lambda: told.write(targets)))
        told.write(targets)
        (directory / "compare.md").write_text(told.markdown())
        print(told.markdown())
        told.draw(directory)
    print(f"{directory}/compare.md, compare.json", file=sys.stderr)
    return 1 if told.failure or told.failed_arms else 0


def main(words: Sequence[str] | None = None) -> NoReturn:
    end_with("compare", lambda: run(read_arguments(words)))
