"""Measures the sidecar's runtime images beside Envoy, HAProxy and nginx: memory, CPU, latency at a fixed rate, and closed-loop throughput.

Each round starts every system anew, one after the other (A B C, A B C, ...), in front of the same backend, so that a machine whose
speed drifts treats them alike. One arm goes straight to the backend: what the others add is told against it, round by round.

Exit status: 0, 1 when a request failed, 3 when it could not run.
"""
import argparse
import sys
import tempfile
import time
from pathlib import Path

from . import arms, processes, sidecars, systems, tools
from .compared import DIRECT, Comparison
from .conformance import guarded
from .measured import closed_loop, failure_of, fixed_rate
from .plan import Parser

IMAGES = ("i386-client", "compact3-amd64", "amd64-c1", "amd64-tiered")


def contenders(bench, options):
    """The arms in their order, those that cannot run among them."""
    known = [*(arms.image_arm(bench, image, options.rate) for image in IMAGES), *arms.peer_arms(bench, options.envoy), arms.Arm(DIRECT)]
    wanted = options.only.split(",") if options.only else [arm.name for arm in known]
    extra = [arms.image_arm(bench, name, options.rate) for name in wanted if name in ("host", *sidecars.CONTAINERS)]
    unknown = set(wanted) - {arm.name for arm in known + extra}
    if unknown:
        raise sidecars.CouldNotRun(f"there is no {', '.join(sorted(unknown))} to compare")
    return [arm for arm in extra + known if arm.name in wanted or arm.name == DIRECT]


def measure(arm, bench, options, session, hiccups):
    """A row of figures of one run. Raises Failed."""
    if arm.name == DIRECT:
        return fixed_rate(None, bench, options, session, hiccups)
    with arms.running(arm, bench) as family:
        row = {"start_s": family.start_s, **fixed_rate(family, bench, options, session, hiccups)}
        if options.closed:
            row.update(closed_loop(family, bench, options))
    return row


def rounds(bench, options, told, save):
    """Fills a Comparison, and has it saved after every run."""
    there = []
    for arm in contenders(bench, options):
        if arm.missing:
            told.left_out[arm.name] = arm.missing
            arms.say(f"left out: {arm.missing}")
        else:
            there.append(arm)
    with tools.LoadSession(bench.work, bench.java_home, bench.log, bench.ports) as session, \
            tools.HiccupMeter(bench.java_home, bench.log) as hiccups:
        session.run(min(options.rate, 1000), options.connections, 1, max(1, options.warmup / 2), port=bench.ports.backend)
        for number in range(options.rounds):
            for arm in there:
                row = measure(arm, bench, options, session, hiccups)
                told.add(number, arm.name, row)
                arms.say(f"round {number + 1} of {options.rounds}, {arm.name}: " + told.line(row))
                save()


def read_arguments(words=None):
    parser = Parser(prog="compare", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--rate", type=int, default=1000, help="requests a second; the sidecar takes the profile for it")
    parser.add_argument("--connections", type=int, default=16)
    arms.add_backend_arguments(parser)
    parser.add_argument("--warmup", type=float, default=8, help="seconds")
    parser.add_argument("--seconds", type=float, default=14, help="the steady window at the fixed rate")
    parser.add_argument("--closed", type=float, default=6, help="seconds of closed loop over 64 connections; 0 leaves it out")
    parser.add_argument("--no-wire", dest="wire", action="store_false", help="capture no packets")
    parser.add_argument("--only", help="names by commas; host, i386 and compact3 (containers) may be among them")
    parser.add_argument("--envoy", help="path of the envoy binary")
    parser.add_argument("--json", type=Path, help="also write every round's figures there")
    parser.add_argument("--reports", type=Path, default=processes.LOADTEST / "reports", help="the folder below which results are written")
    return parser.parse_args(words)


def versions(options):
    envoy = systems.envoy_program(options.envoy)
    asked = {"envoy": (envoy, "--version"), "haproxy": ("haproxy", "-v"), "nginx": ("nginx", "-v")}
    return {name: arms.version(*words) for name, words in asked.items() if words[0]}


def run(options):
    directory = options.reports / time.strftime("compare-%Y%m%d-%H%M%S")
    directory.mkdir(parents=True)
    told = Comparison(arms.described(options), versions(options))
    targets = [directory / "compare.json", *([options.json] if options.json else [])]
    # not below reports: nginx's worker, another user, must be able to read there
    with tempfile.TemporaryDirectory(prefix="compare.") as work, arms.bench(Path(work), options) as bench:
        told.failure = failure_of(lambda: rounds(bench, options, told, lambda: told.write(targets)))
        told.write(targets)
        (directory / "compare.md").write_text(told.markdown())
        print(told.markdown())
        told.draw(directory)
    print(f"{directory}/compare.md, compare.json", file=sys.stderr)
    return 1 if told.failure else 0


def main(words=None):
    guarded("compare", lambda: run(read_arguments(words)))
