"""Measures the effect on requests while one of three endpoints fails, for the sidecar, Envoy and HAProxy one after the other.

The endpoint is killed, stopped (SIGSTOP), disconnected by dropping its packets, or slowed to 500 ms. After that, all three respond with 500, or are killed.
Each run restarts the system, sends GETs at a fixed rate, starts and ends the fault, and waits until the endpoint is used again. The requests to each endpoint
are counted in a packet capture. The settings are as similar as possible, and are listed in loadtest/README.md.

Exit status: 0, 1 if the sidecar failed a request or made too many attempts, 2 if only its time target was missed, if a machine with other load was already
late before the fault, or if a sidecar was omitted, 3 if it could not run. The program needs root for the network namespace of the failing endpoint and for
the capture.
"""
import argparse
import contextlib
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, NoReturn

from .. import arms, fault_runs
from ..command_line import Parser, described, end_with, new_folder, say
from ..contenders import Run, in_rounds
from ..errors import CouldNotRun
from ..fault_runs import FAULTS, Load, Site, Timing
from ..load import java_tools
from ..machine import children, cores, namespaces, processes
from ..repository import REPOSITORY
from ..results.fault_comparison import PEERS, FaultComparison
from ..systems import peers, sidecars
from ..systems.configurations import Ports, write_config

DEFAULT_BALANCER = "least-loaded"
# Behind an image's name: the sidecar with another balancer than its default, for the faults to which that matters.
BALANCERS = {"peak-ewma": ("slow",), "round-robin": ("slow",)}
SYSTEMS = ("i386-client", "i386-client/peak-ewma", *PEERS)
SHORT_FAULTS = ("kill", "stop", "drop", "slow", "errors")
LIMIT_S = 600


class Contender(NamedTuple):
    """An arm with a work folder of its own, in which its configuration stands."""

    name: str
    arm: arms.Arm
    bench: arms.Bench
    faults: Sequence[str]


def contender(name: str, bench: arms.Bench, site: Site, options: argparse.Namespace) -> Contender:
    system, _, balancer = name.partition("/")
    own = bench._replace(work=bench.work / name.replace("/", "-"))
    own.work.mkdir()
    own.work.chmod(0o755)
    written = {"sick_host": site.namespace.address, "sick_port": site.ports[0], "second": site.ports[1], "third": site.ports[2],
               "balancer": balancer or DEFAULT_BALANCER}
    for file in ("remora.yaml", "envoy.yaml", "haproxy.cfg"):
        write_config(f"faults/{file}", own.work, own.ports, **written)
    if system in PEERS:
        peer = next(peer for peer in peers.PEERS if peer.name == system)
        arm = arms.peer_arm(own, peer, peers.program(system, options.envoy))
    else:
        arm = arms.image_arm(own, system, options.rate)
    wanted = options.faults.split(",")
    return Contender(name, arm, own, [fault for fault in wanted if not balancer or fault in BALANCERS[balancer]])


def require_known(options: argparse.Namespace) -> None:
    """Raises CouldNotRun."""
    for name in options.only.split(","):
        system, _, balancer = name.partition("/")
        if not (system in PEERS and not balancer or system not in PEERS and (system in SYSTEMS or sidecars.is_image(system))
                and balancer in ("", *BALANCERS)):
            raise CouldNotRun(f"there is no {name}; there are {', '.join(SYSTEMS)}, other runtime images, and host")
    if unknown := set(options.faults.split(",")) - set(FAULTS):
        raise CouldNotRun(f"there is no fault {', '.join(sorted(unknown))}; there are {', '.join(FAULTS)}")


def rounds(bench: arms.Bench, options: argparse.Namespace, told: FaultComparison, save: Callable[[], None], own_cores: set[int]) -> None:
    """Fills a comparison, and has it saved after every run. Raises CouldNotRun where it would take too long."""
    timing = Timing(options.warmup, options.before, options.fault_seconds, options.after)
    load = Load(options.rate, options.connections, options.most_connections)
    until = time.monotonic() + options.limit
    with contextlib.ExitStack() as started:
        client = started.enter_context(java_tools.OpenLoad(bench.java_home, bench.log))
        hiccups = started.enter_context(java_tools.HiccupMeter(bench.java_home, bench.log))
        hiccups.prepare(lambda: cores.move(hiccups.process.pid, os.sched_getaffinity(0) | own_cores))  # it speaks for the whole host
        site = started.enter_context(fault_runs.site(bench))
        contenders = [contender(name, bench, site, options) for name in options.only.split(",")]
        for one in contenders:
            if one.arm.missing:
                told.left_out[one.name] = f"{one.name}: {one.arm.missing}"
                say(f"left out: {told.left_out[one.name]}")
        client.prepare(lambda: fault_runs.rehearse(site, load, client, bench.work))

        def run(fault: str, one: Contender) -> Run:
            return Run(f"{FAULTS[fault].title}, {one.name}",
                       lambda: fault_runs.measure(one.arm, one.bench, site, FAULTS[fault], timing, load, client, hiccups, own_cores),
                       lambda _, row: told.add(fault, one.name, row))

        def runs(_: int) -> Iterator[Run]:
            for fault in options.faults.split(","):
                for one in contenders:
                    if one.arm.missing or fault not in one.faults:
                        continue
                    if time.monotonic() > until:
                        told.failure = f"not everything was measured within {options.limit:g} s"
                        return
                    yield run(fault, one)

        in_rounds(options.rounds, runs, told, save, (client, hiccups))


def read_arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    parser = Parser("compare --what faults", __doc__)
    parser.add_load(1, 64, "of the client, to begin with")
    parser.add_argument("--most-connections", type=int, default=256, help="maximum number of client connections, opened if none is free")
    parser.add_argument("--warmup", type=float, default=4, help="seconds")
    parser.add_argument("--before", type=float, default=2, help="seconds of load before the fault")
    parser.add_argument("--fault-seconds", type=float, default=10, help="seconds of each fault")
    parser.add_argument("--after", type=float, default=16, help="maximum seconds after the fault until the endpoint is used again")
    parser.add_argument("--faults", default=",".join(FAULTS), help="faults, separated by commas")
    parser.add_argument("--only", default=",".join(SYSTEMS), help="systems, separated by commas: envoy, haproxy, host or a runtime image; append "
                        "/peak-ewma or /round-robin to select the balancer of a sidecar")
    parser.add_argument("--short", action="store_true", help="test one sidecar with five faults of four seconds each, in about a minute")
    parser.add_argument("--limit", type=float, default=LIMIT_S * 2, help="seconds after which no further run is started")
    parser.add_argument("--envoy", help="path of the envoy binary")
    parser.add_pin("a system")
    parser.add_argument("--json", type=Path, help="also write the figures of each run to this file")
    parser.add_argument("--publish", choices=("docs",), help="write the table to docs/measurements/comparison.md")
    parser.add_reports()
    options = parser.parse_args(words)
    if options.short:
        shorter = {"warmup": 3.0, "before": 1.0, "fault_seconds": 4.0, "after": 6.0, "faults": ",".join(SHORT_FAULTS), "only": SYSTEMS[0]}
        for key, value in shorter.items():
            if getattr(options, key) == parser.get_default(key):
                setattr(options, key, value)
    return options


def status_of(told: FaultComparison) -> int:
    bars = [bar for bar in told.bars() if bar["result"] != "met"]
    left_out = set(told.left_out) - set(PEERS)
    return 3 if told.failure or told.failed_arms else 1 if any(bar["hard"] and bar["result"] == "missed" for bar in bars) else 2 if bars or left_out else 0


def run(options: argparse.Namespace) -> int:
    require_known(options)
    namespaces.require()
    java_tools.require_built()
    directory = new_folder(options.reports, "compare-faults")
    told = FaultComparison(described(options), peers.versions(PEERS, options.envoy), {name: fault.title for name, fault in FAULTS.items()},
                           [name for name, fault in FAULTS.items() if fault.all_fail])
    targets = [directory / "compare-faults.json", *([options.json] if options.json else [])]
    rig_cores, own_cores = cores.parted(options.pin)
    with tempfile.TemporaryDirectory(prefix="compare-faults.") as work, cores.kept_to(rig_cores), open(Path(work, "tools.log"), "wb") as log:
        ports = Ports(*processes.free_ports(3))
        bench = arms.Bench(Path(work), ports, processes.default_java_home(), log)
        rounds(bench, options, told, lambda: told.write(targets), own_cores)
    told.write(targets)
    (directory / "compare-faults.md").write_text(told.markdown())
    print(told.markdown())
    print(f"{directory}/compare-faults.md, compare-faults.json", file=sys.stderr)
    if options.publish:
        children.run([REPOSITORY / "measure", "figures", "take", "faults", targets[0].resolve()], check=True)
    return status_of(told)


def main(words: Sequence[str] | None = None) -> NoReturn:
    end_with("compare --what faults", lambda: run(read_arguments(words)))
