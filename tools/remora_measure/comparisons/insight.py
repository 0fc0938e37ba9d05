"""Measures what looking inside a sidecar costs: an open dashboard, a CPU profile, a watch of long turns, and flight recordings.

Each round starts two sidecars of the same image on the same dedicated core for each observer, and loads both at the same rate. In each block, the observer
looks at the first one and then at the second one. The CPU time per request of the observed sidecar is divided by that of the other one in the same window, so
that a machine whose speed changes affects both alike. The result of a block is the geometric mean of both windows, in which the differences between the two
JVMs cancel out. Memory is compared with that of the same sidecar in the other window. The report shows the median and the range over all blocks. An observer
loads its code at its first use, which is in no window. The growth of private memory over that block is a figure of its own. It includes that of the load,
which the observer nothing shows.

The observers are dashboard, profile (100 samples per second of CPU time), profile-kernel (the same with the functions of the kernel, which has to permit
events of perf), long-turns (of 50 ms), and recordings, which need an image with the flight recorder:
recording-remora, recording-default and recording-profile with these settings, recording-cpu and others with a single group of events of the settings remora,
recording-stream with a client that reads the live stream of events, allocations-50 and others with as many samples of allocations per second, and
allocations-tlab with an event for each new TLAB. The observer nothing shows the accuracy of the measurement. With --closed, closed loops replace the fixed
rate. A missed target does not change the exit status.

Exit status: 0, 1 if a request or an observer failed or a load did not end, 3 if it could not run.
"""
import argparse
import contextlib
import json
import shutil
import statistics
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from .. import arms, spread
from ..command_line import Parser, described, end_with, new_folder, say
from ..errors import CouldNotRun, RequestsFailed
from ..load import java_tools
from ..machine import cores, kernel
from ..markdown import aligned_table
from ..runs import LEAD_S, Window, failure_of, own_percentiles, require_none_failed
from ..systems.observers import OBSERVERS, Observed, Observer

CONFIGURATION = "remora-insight.yaml"
# Time for an observer to begin, and for a load to reach its rate.
BEGIN_S = 1.5
# Requests per second by which the rates differ. Equal ones would keep their phases through a window, in which the second request finds a warm core.
RATE_STEP = 7
CPU, PRIVATE, RSS, P99, P999 = "cpu_us", "private_mb", "rss_mb", "p99_us", "p999_us"
ADDED_CPU, ADDED_PRIVATE, ADDED_RSS = "added_cpu_percent", "added_private_mb", "added_rss_mb"
FIRST_USE = "first_use_private_mb"


class Side:
    """One of the two sidecars with its load. Owner: one thread."""

    def __init__(self, system: arms.Running, bench: arms.Bench, session: java_tools.LoadSession, options: argparse.Namespace, rate: int) -> None:
        self.system, self.bench, self.session, self.options, self.rate = system, bench, session, options, rate

    def begin_load(self, warmup: float, seconds: float) -> None:
        if self.options.closed:
            self.session.begin_closed(self.options.connections, warmup + seconds)
        else:
            self.session.begin(self.rate, self.options.connections, warmup, seconds)

    def begin(self) -> None:
        self.session.begin_interval()
        self.window = Window(self.system.cpu_seconds, self.bench.ports.backend)

    def end(self) -> None:
        self.window.end()
        self.session.end_interval()
        self.memory = {PRIVATE: self.private_mb(), RSS: self.system.sum_mb("VmRSS")}

    def private_mb(self) -> float | None:
        rollup = kernel.rollup(self.system.sidecar.pid)
        return kernel.private(rollup) if rollup else None

    def row(self) -> dict[str, Any]:
        """The figures of the window. Raises RequestsFailed and DidNotEnd."""
        require_none_failed(self.session.answer()["failed"])
        return {CPU: self.window.cpu_us(), **self.memory, **own_percentiles("", self.session)}


def window(sides: Sequence[Side], observed: Side, observer: Observer, seconds: float) -> dict[Side, dict[str, Any]]:
    """A row of each sidecar, one of which is observed. Raises RequestsFailed and DidNotEnd."""
    lasts = BEGIN_S + seconds + 2 * LEAD_S
    for side in sides:
        side.begin_load(BEGIN_S, seconds + 2 * LEAD_S)
    with observer(Observed(observed.bench.ports.admin, observed.system.sidecar.pid, observed.bench.work), lasts):
        time.sleep(BEGIN_S)
        for side in sides:
            side.begin()
        time.sleep(seconds)
        for side in sides:
            side.end()
    return {side: side.row() for side in sides}


def block(sides: Sequence[Side], observer: Observer, seconds: float) -> list[dict[str, Any]]:
    """A row of each sidecar while it was observed, with what the observer has added. Raises RequestsFailed and DidNotEnd."""
    one, other = sides
    first, second = window(sides, one, observer, seconds), window(sides, other, observer, seconds)
    cpu = added_cpu((first[one], first[other]), (second[other], second[one]))
    return [{**with_it, **cpu, **added_memory(with_it, without), "without_p99_us": without.get(P99), "without_p999_us": without.get(P999)}
            for with_it, without in ((first[one], second[one]), (second[other], first[other]))]


def added_cpu(*windows: tuple[Mapping[str, Any], Mapping[str, Any]]) -> dict[str, float]:
    """The CPU time that an observed sidecar takes more than the other one in the same window, as the geometric mean of the windows; empty where one is unknown."""
    ratios = [with_it[CPU] / without[CPU] for with_it, without in windows if with_it[CPU] and without[CPU]]
    return {ADDED_CPU: 100 * (statistics.geometric_mean(ratios) - 1)} if len(ratios) == len(windows) else {}


def added_memory(with_it: Mapping[str, Any], without: Mapping[str, Any]) -> dict[str, float]:
    """The memory that a sidecar has more in one window than in another one; figures that one of them lacks are left out."""
    return {name: with_it[key] - without[key] for key, name in ((PRIVATE, ADDED_PRIVATE), (RSS, ADDED_RSS)) if None not in (with_it[key], without[key])}


def first_use(before: float | None, after: float | None) -> dict[str, float]:
    """The growth of private memory over the block of the first use; empty where one of the figures is unknown."""
    return {} if before is None or after is None else {FIRST_USE: after - before}


def measure(name: str, rigs: Sequence[tuple[arms.Bench, java_tools.LoadSession]], options: argparse.Namespace, own_cores: set[int]) -> list[dict[str, Any]]:
    """The rows of one round, in which the sidecars start again. Raises RequestsFailed and DidNotEnd."""
    with contextlib.ExitStack() as ending:
        sides = [Side(ending.enter_context(arms.running(arms.image_arm(bench, options.image, options.rate, configuration=CONFIGURATION), bench.ports,
                                                        own_cores=own_cores)), bench, session, options, options.rate + number * RATE_STEP)
                 for number, (bench, session) in enumerate(rigs)]
        for side in sides:
            side.begin_load(options.warmup / 2, options.warmup / 2)
        for side in sides:
            require_none_failed(side.session.answer()["failed"])
        before = [side.private_mb() for side in sides]
        block(sides, OBSERVERS[name], BEGIN_S)
        first_uses = [first_use(earlier, side.private_mb()) for earlier, side in zip(before, sides)]
        blocks = [block(sides, OBSERVERS[name], options.seconds) for _ in range(options.blocks)]
        # one value for each sidecar, independent of the number of blocks
        blocks[0] = [{**row, **first} for row, first in zip(blocks[0], first_uses)]
        return [row for rows in blocks for row in rows]


FIGURES = (spread.Figure(CPU, "CPU a request, us", 0), spread.Figure(ADDED_CPU, "added CPU, %", 1), spread.Figure(ADDED_PRIVATE, "added private, MB", 2),
           spread.Figure(ADDED_RSS, "added RSS, MB", 2), spread.Figure(FIRST_USE, "first use, private MB", 2),
           spread.Figure(P99, "p99, us", 0), spread.Figure("without_p99_us", "p99 without, us", 0),
           spread.Figure(P999, "p999, us", 0), spread.Figure("without_p999_us", "p999 without, us", 0))


def table(found: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    lines = []
    for name, rows in found.items():
        spreads = spread.by_figure(rows, FIGURES)
        lines.append([name, *(spreads[figure.key].text(figure.places) if figure.key in spreads else "" for figure in FIGURES)])
    return aligned_table(["observer", *(figure.heading for figure in FIGURES)], lines)


def read_arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    parser = Parser("compare --what insight", __doc__)
    parser.add_load(3)
    arms.add_backend_arguments(parser)
    parser.add_argument("--image", default="i386-client")
    parser.add_argument("--only", default="nothing,dashboard,profile", help="observers, separated by commas")
    parser.add_argument("--warmup", type=float, default=20, help="seconds of load before the first window")
    parser.add_argument("--blocks", type=int, default=4, help="blocks of two windows in each round")
    parser.add_argument("--seconds", type=float, default=10, help="seconds of each window")
    parser.add_argument("--closed", action="store_true", help="closed loops instead of the fixed rate")
    parser.add_argument("--workers", type=int, help="event loops of each sidecar; with more than one, the sidecars use all cores")
    parser.add_reports()
    return parser.parse(words)


def prepared(ending: contextlib.ExitStack, options: argparse.Namespace) -> tuple[arms.Bench, java_tools.LoadSession]:
    """A bench with a backend of its own, and a load that is warm."""
    work = Path(ending.enter_context(tempfile.TemporaryDirectory(prefix="insight.")))
    bench = ending.enter_context(arms.bench(work, options.backend, options.body))
    if options.workers:
        with (work / CONFIGURATION).open("a") as configuration:
            configuration.write(f"workers: {options.workers}\n")
    session = ending.enter_context(java_tools.LoadSession(bench.work, bench.java_home, bench.log, bench.ports))
    session.prepare(lambda: session.run(options.rate, options.connections, 1, 5, port=bench.ports.backend))
    return bench, session


def run(options: argparse.Namespace) -> int:
    names = options.only.split(",")
    if unknown := set(names) - set(OBSERVERS):
        raise CouldNotRun(f"there is no observer {', '.join(sorted(unknown))}; there are {', '.join(OBSERVERS)}")
    if not shutil.which("curl"):
        raise CouldNotRun("no curl, which looks at the sidecar: apt-get install curl")
    directory = new_folder(options.reports, "insight")
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in names}

    rig, own = cores.parted(pin=(options.workers or 1) == 1)
    own_cores = own if rig != own else set()

    def rounds(rigs: Sequence[tuple[arms.Bench, java_tools.LoadSession]]) -> None:
        for number in range(1, options.rounds + 1):
            for name in names:
                found[name] += measure(name, rigs, options, own_cores)
                say(f"{name}, round {number} of {options.rounds}: {json.dumps(found[name][-1])}")

    with contextlib.ExitStack() as ending:
        ending.enter_context(cores.kept_to(rig))
        rigs = [prepared(ending, options) for _ in range(2)]
        stopped = failure_of(lambda: rounds(rigs))
    result = {**kernel.when_and_where(), "options": described(options), "stopped": stopped, "rows": found}
    (directory / "insight.json").write_text(json.dumps(result, indent=1))
    text = table(found)
    (directory / "insight.md").write_text(text + "\n")
    print(text)
    return 1 if stopped else 0


def main(words: Sequence[str] | None = None) -> NoReturn:
    end_with("compare", lambda: run(read_arguments(words)))
