"""Measures the CPU time that a mesh of three endpoints, and features on each request, add to a request on the same runtime image.

Two sidecars run on the same dedicated core, one of them with the mesh or the features. Closed loops load both at the same time, so that a machine whose speed
changes affects both equally. The clients (wrk) and the application use the other cores, so that the sidecars are the bottleneck. The figure is the median of
many short blocks. Each round starts both sidecars again, because each JVM compiles its code differently. The report shows the share of the time in which a
sidecar ran or waited for its core. Below 90 %, it was not the bottleneck, and the result is inconclusive.

The variant nothing compares an image with itself, which shows the accuracy of the measurement. A missed target does not change the exit status.

Exit status: 0, 1 if a request failed or a load did not end, 3 if it could not run.
"""
import argparse
import contextlib
import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from .. import arms
from ..command_line import Parser, described, end_with
from ..contenders import Contender, Run, compare, in_rounds, present, require_known
from ..errors import CouldNotRun, RequestsFailed
from ..load import collector, wrk
from ..machine import children, kernel, processes
from ..results.added_cpu import WITH_NOTHING, About, AddedCpu, Block, Spent, row
from ..runs import require_none_failed
from ..systems import sidecars
from ..systems.configurations import Ports, write_configs

IMAGES = ("i386-client", "amd64-c1")
VARIANTS = {"mesh": arms.WITH_MESH, "features": arms.WITH_FEATURES, "nothing": WITH_NOTHING}
PLAIN, OTHER = "plain", "other"


@contextlib.contextmanager
def benches_of(work: Path, options: argparse.Namespace) -> Iterator[dict[str, arms.Bench]]:
    """Two benches with one backend, each with its own folder and ports; the collector of spans runs next to the backend."""
    with arms.bench(work, options.backend, options.body) as plain, collector.running(plain.ports.backend):
        front, admin = processes.free_ports(2)
        other = plain._replace(work=work / OTHER, ports=Ports(front, plain.ports.backend, admin))
        other.work.mkdir()
        write_configs(other.work, other.ports, options.body)
        yield {PLAIN: plain, OTHER: other}


def contenders(benches: Mapping[str, arms.Bench], options: argparse.Namespace) -> list[Contender]:
    images, variants = options.only.split(","), options.variants.split(",")
    require_known("--only", images, [*IMAGES, *filter(sidecars.is_image, images)])
    require_known("--variants", variants, list(VARIANTS))
    abouts = [About(image, VARIANTS[variant]) for image in images for variant in variants]
    return [Contender(about, arm(benches[OTHER], about, options.rate), benches[OTHER]) for about in abouts]


def arm(bench: arms.Bench, about: About, rate: int) -> arms.Arm:
    if about.variant == WITH_NOTHING:
        return arms.image_arm(bench, about.image, rate)._replace(name=about.name)
    return arms.variant_arm(bench, about.image, about.variant, rate)


class Side:
    """One of the two sidecars, with its CPU time and requests since the current block began. Owner: one thread."""

    def __init__(self, system: arms.Running, port: int) -> None:
        self.system, self.port, self.waits = system, port, kernel.Waits(system.sidecar.pid)

    def begin(self, seconds: int, connections: int) -> None:
        self.cpu_s, self.waited_s, self.began = self.system.cpu_seconds(), self.waits.seconds(), time.monotonic()
        self.load = wrk.Loop(seconds, self.port, connections)

    def end(self) -> Spent:
        """Raises RequestsFailed and DidNotEnd."""
        told = self.load.told()
        seconds, cpu_s = time.monotonic() - self.began, self.system.cpu_seconds() - self.cpu_s
        require_none_failed(wrk.failures(told))
        if not (requests := wrk.requests(told)):
            raise RequestsFailed("no request of the closed loop was answered")
        return Spent(cpu_s, requests, seconds, (cpu_s + self.waits.seconds() - self.waited_s) / seconds)


def block(plain: Side, other: Side, seconds: int, connections: int, other_first: bool) -> Block:
    """Closed loops on both at the same time. Raises RequestsFailed and DidNotEnd."""
    with contextlib.ExitStack() as ending:
        for side in (other, plain) if other_first else (plain, other):
            side.begin(seconds, connections)
            ending.callback(children.kill, side.load.process)
        return Block(plain.end(), other.end())


def measure(one: Contender, plain: arms.Bench, options: argparse.Namespace, own_cores: set[int]) -> dict[str, Any]:
    """A row of a round, in which both sidecars start again. Raises RequestsFailed and DidNotEnd."""
    about = one.about
    spans = collector.count(plain.ports.backend)
    with arms.running(arms.image_arm(plain, about.image, options.rate), plain.ports, own_cores=own_cores) as without, \
            arms.running(one.arm, one.bench.ports, own_cores=own_cores) as with_it:
        sides = Side(without, plain.ports.front), Side(with_it, one.bench.ports.front)
        block(*sides, options.warmup, options.connections, other_first=False)
        steal = kernel.Steal()
        found = row([block(*sides, options.seconds, options.connections, other_first=number % 2 == 1) for number in range(options.blocks)])
        found["steal_share"] = steal.share()
    if about.variant == arms.WITH_FEATURES and collector.count(plain.ports.backend) == spans:
        raise RequestsFailed("no span has come to the collector")
    return found


def rounds(benches: Mapping[str, arms.Bench], options: argparse.Namespace, told: AddedCpu, save: Callable[[], None], own_cores: set[int]) -> None:
    """Fills a comparison, and has it saved after every run."""
    there = present(contenders(benches, options), told)

    def run(one: Contender) -> Run:
        return Run(one.about.name, lambda: measure(one, benches[PLAIN], options, own_cores), lambda number, found: told.add(number, one.about, found))

    in_rounds(options.rounds, lambda _: [run(one) for one in there], told, save)


def read_arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    parser = Parser("compare --what added-cpu", __doc__)
    parser.add_load(5, 64, "of the closed loops")
    arms.add_backend_arguments(parser)
    parser.add_argument("--warmup", type=int, default=6, help="seconds of closed loops before the blocks")
    parser.add_argument("--blocks", type=int, default=3, help="blocks in each round")
    parser.add_argument("--seconds", type=int, default=4, help="seconds of each block")
    parser.add_argument("--only", default=",".join(IMAGES), help="images, separated by commas; can include host and any directory in runtime-images/target")
    parser.add_argument("--variants", default="mesh,features", help="mesh, features and nothing, separated by commas")
    parser.add_busy()
    parser.add_argument("--json", type=Path, help="also write the figures of each round to this file")
    parser.add_reports()
    parser.set_defaults(pin=True)
    return parser.parse(words)


def run(options: argparse.Namespace) -> int:
    if not shutil.which("wrk"):
        raise CouldNotRun("no wrk, which drives the closed loops: apt-get install wrk")
    if len(os.sched_getaffinity(0)) < 2:
        raise CouldNotRun("one core: the sidecars need a core that neither their clients nor the application use")
    return compare("added-cpu", AddedCpu(described(options), {}), options, benches_of, rounds)


def main(words: Sequence[str] | None = None) -> NoReturn:
    end_with("compare --what added-cpu", lambda: run(read_arguments(words)))
