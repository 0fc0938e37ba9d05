"""Compares the sidecar's runtime images with Envoy and HAProxy over HTTP/2, gRPC and TCP: memory, CPU, latency, calls, streams and a tunnel.

As in compare, each round restarts all systems one after the other. The additional memory of HTTP/2 is relative to the same system with HTTP/1.1 in the same
round, and the additional time of a system is relative to HTTP/2 directly to the backend. gRPC calls in a closed loop are measured right after the start, and
again after a minute of load. If the load of one system does not end, that arm has failed, and the next one follows. The table shows missed targets, but they do not change the exit
status.

Exit status: 0, 1 if a request failed or a load did not end, 3 if it could not run.
"""
import argparse
import contextlib
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from .. import arms, h2_runs
from ..command_line import Parser, described, end_with, say
from ..contenders import Contender, Run, compare, in_rounds, present, require_known
from ..errors import CouldNotRun, DidNotEnd, RequestsFailed
from ..load import h2load, java_tools
from ..machine import children, cores, processes
from ..results.h2_comparison import DIRECT, About, H2Comparison
from ..runs import Load
from ..runs import fixed_rate as fixed_rate_of_http1
from ..systems import peers, sidecars
from ..systems.configurations import GRPC, H2, HTTP1, OVER_HTTP2, PEERS, PROTOCOLS, TCP, Ports, write_config, write_configs

IMAGES = ("i386-client", "amd64-c1", "amd64-tiered")
RIVALS = ("envoy", "haproxy")
# Configurations in the folder h2, by purpose. Those of HTTP/1.1 are next to the folder. Calls are HTTP/2 to another backend.
FOLDER, NAMED = "h2", {H2: H2, GRPC: H2, TCP: TCP}


def contenders(benches: Mapping[str, arms.Bench], options: argparse.Namespace) -> list[Contender]:
    """In their order, in which the protocols of a system follow on one another; those that cannot run are among them."""
    wanted, protocols = options.only.split(","), options.protocols.split(",")
    systems = [*IMAGES, *(name for name in wanted if name not in IMAGES and sidecars.is_image(name)), *RIVALS]
    for name, asked, known in (("--only", wanted, systems), ("--protocols", protocols, PROTOCOLS)):
        require_known(name, asked, known)
    direct = [Contender(About(DIRECT, H2), arms.Arm(DIRECT), benches[H2])] if H2 in protocols else []
    return [*(Contender(About(system, protocol), arm_of(system, protocol, benches[protocol], options), benches[protocol])
              for system in systems if system in wanted for protocol in PROTOCOLS if protocol in protocols and protocol in benches
              if system not in RIVALS or protocol != HTTP1), *direct]


def arm_of(system: str, protocol: str, bench: arms.Bench, options: argparse.Namespace) -> arms.Arm:
    if system not in RIVALS:
        name = "remora.yaml" if protocol == HTTP1 else f"remora-{NAMED[protocol]}.yaml"
        return arms.image_arm(bench, system, options.rate, configuration=name)
    peer = next(peer for peer in peers.PEERS if peer.name == system)
    if not (program := peers.program(system, options.envoy)):
        return arms.Arm(system, missing=f"{system} is not installed: {peer.install}")
    return arms.command_arm(bench, system, peer.command(program, bench.work, NAMED[protocol]))._replace(files=lambda: [Path(program)])


@contextlib.contextmanager
def benches_of(work: Path, options: argparse.Namespace) -> Iterator[dict[str, arms.Bench]]:
    """A bench for each protocol, with a folder of its own: the same ports of the systems, but the backend's for that protocol."""
    java_tools.require_built()
    front, admin, plain, h2, grpc = processes.free_ports(5)
    by_protocol = {HTTP1: plain, H2: h2, TCP: plain, GRPC: grpc}
    with contextlib.ExitStack() as started:
        log = started.enter_context(open(work / "tools.log", "wb"))
        made = {}
        for protocol, port in by_protocol.items():
            folder, ports = work / protocol, Ports(front, port, admin)
            folder.mkdir()
            write_configs(folder, ports, options.body, "off")
            for path in sorted((PEERS / FOLDER).iterdir()):
                write_config(f"{FOLDER}/{path.name}", folder, ports, h2=h2)
            made[protocol] = arms.Bench(folder, ports, processes.default_java_home(), log)
        work.chmod(0o755)
        started.enter_context(nginx(made[HTTP1], h2))
        started.enter_context(h2load.grpc_server(grpc, work, log, options.body))
        yield made


@contextlib.contextmanager
def nginx(bench: arms.Bench, h2_port: int) -> Iterator[None]:
    """The application but for calls: HTTP/1.1 with a count of all requests, and HTTP/2."""
    if not shutil.which("nginx"):
        raise CouldNotRun("nginx is not installed: apt-get install nginx")
    with open(bench.work / "www" / h2_runs.LARGE.lstrip("/"), "wb") as large:
        large.truncate(h2_runs.LARGE_BYTES)
    server = children.start(["nginx", "-c", bench.work / "backend-h2.conf"], stdout=bench.log, stderr=bench.log)
    try:
        for port in (h2_port, bench.ports.backend):
            processes.wait_for(port, process=server)
        yield
    finally:
        children.stop(server)


def measure(one: Contender, counted: int, options: argparse.Namespace, session: java_tools.LoadSession, hiccups: java_tools.HiccupMeter,
            own_cores: set[int], given_up: Callable[[str], None]) -> dict[str, Any]:
    """A row of figures of one run. What takes memory to ask for comes behind the memory. given_up receives why a part of it failed whose other parts stand.
    Raises RequestsFailed and DidNotEnd."""
    about, bench = one.about, one.bench
    load = Load(options.rate, options.connections, options.warmup, options.seconds)
    if about.system == DIRECT:
        return h2_runs.fixed_rate(None, bench, counted, load, options.streams, session, hiccups)
    with arms.running(one.arm, bench.ports, own_cores=own_cores, by_http2=about.protocol in OVER_HTTP2, charged=True) as system:
        row: dict[str, Any] = {"start_s": system.start_s}
        if about.protocol == HTTP1:
            return {**row, **fixed_rate_of_http1(system, bench, load, session, hiccups)}
        if about.protocol == TCP:
            return {**row, **h2_runs.tunnel(system, bench, options.tunnel), **h2_runs.paid("tcp", system)}
        if about.protocol == GRPC:
            call = bench.work / "message"
            call.write_bytes(h2load.message(options.body))
            h2_runs.prove_calls(bench, options.body, session)
            loop = h2_runs.Loop(h2load.CALL, options.connections, options.streams, call)
            row.update(h2_runs.loop("grpc_first", system, bench, loop, options.first))
            h2_runs.load(bench, loop, max(1.0, options.calls_warmup - options.first))
            row.update(h2_runs.loop("grpc", system, bench, loop, options.closed))
            return {**row, **h2_runs.paid("grpc", system)}
        row.update(h2_runs.fixed_rate(system, bench, counted, load, options.streams, session, hiccups))
        if about.system not in RIVALS:
            row.update(h2_runs.own_latencies(bench, load, options.streams, options.latency, session, hiccups))
        loop = h2_runs.Loop("/body", options.connections, options.streams)
        h2_runs.load(bench, loop, options.closed * 2 / 3)
        row.update(h2_runs.loop("closed", system, bench, loop, options.closed))
        row.update(beside_stalled(about, lambda: h2_runs.stalled(bench, options.rate, options.stalled, session, hiccups), given_up))
        row.update(h2_runs.idle(system, bench, options.idle))
        if about.system not in RIVALS:
            row.update(h2_runs.idle_memory(system, bench, options.idle))
    return row


def beside_stalled(about: About, measure_it: Callable[[], dict[str, Any]], given_up: Callable[[str], None]) -> dict[str, Any]:
    """A peer whose other streams fail then has no figures of that, and its other ones stand; one whose load does not end has failed, and they stand as well.
    Raises RequestsFailed and DidNotEnd."""
    try:
        return measure_it()
    except (RequestsFailed, DidNotEnd) as why:
        if about.system not in RIVALS:
            raise
        say(f"{about.name}, with a stalled stream: {why}")
        if isinstance(why, DidNotEnd):
            given_up(f"with a stalled stream, {why}")
        return {}


def rounds(benches: Mapping[str, arms.Bench], options: argparse.Namespace, told: H2Comparison, save: Callable[[], None],
           own_cores: set[int]) -> None:
    """Fills a comparison, and has it saved after every run."""
    there = present(contenders(benches, options), told)
    plain = benches[HTTP1]
    with contextlib.ExitStack() as started:
        sessions = {protocol: started.enter_context(java_tools.LoadSession(bench.work, bench.java_home, bench.log, bench.ports))
                    for protocol, bench in ((HTTP1, plain), (H2, benches[H2]))}
        hiccups = started.enter_context(java_tools.HiccupMeter(plain.java_home, plain.log))
        hiccups.prepare(lambda: cores.move(hiccups.process.pid, os.sched_getaffinity(0) | own_cores))  # it speaks for the whole host
        seconds = max(1, options.warmup / 2)

        def warm_up_over_http2() -> None:
            sessions[H2].begin_http2(options.rate, options.connections, options.streams, 1, seconds, benches[H2].ports.backend)
            sessions[H2].answer()

        sessions[HTTP1].prepare(lambda: sessions[HTTP1].run(options.rate, options.connections, 1, seconds, port=plain.ports.backend))
        sessions[H2].prepare(warm_up_over_http2)

        def run(number: int, one: Contender) -> Run:
            session = sessions[HTTP1 if one.about.protocol == HTTP1 else H2]
            return Run(one.about.name, lambda: measure(one, plain.ports.backend, options, session, hiccups, own_cores,
                                                       lambda why: told.fail(number, one.about.name, why)),
                       lambda number, row: told.add(number, one.about, row))

        in_rounds(options.rounds, lambda number: [run(number, one) for one in there], told, save, (*sessions.values(), hiccups))


def read_arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    parser = Parser("compare --what h2", __doc__)
    parser.add_load(2, 16, "that stay, at the fixed rate and in the closed loops")
    parser.add_argument("--streams", type=int, default=4, help="concurrent streams on each connection")
    parser.add_argument("--body", type=int, default=1024, help="size of each response and of gRPC messages in bytes")
    parser.add_argument("--warmup", type=float, default=4, help="seconds")
    parser.add_argument("--seconds", type=float, default=6, help="seconds of the window for memory, CPU and client latency at the fixed rate")
    parser.add_argument("--latency", type=float, default=5, help="seconds of the window for the sidecar's own clock")
    parser.add_argument("--closed", type=float, default=3, help="seconds of a closed loop")
    parser.add_argument("--first", type=float, default=3, help="seconds of the first closed loop of gRPC calls, right after the start")
    parser.add_argument("--calls-warmup", type=float, default=60, help="seconds of gRPC calls, the first ones included, before their closed loop is measured")
    parser.add_argument("--stalled", type=float, default=2, help="seconds of each of the windows with and without a stalled stream")
    parser.add_argument("--idle", type=int, default=1000, help="number of idle connections")
    parser.add_argument("--tunnel", type=float, default=3, help="seconds of a download through a tunnel")
    parser.add_argument("--only", default=",".join((*IMAGES, *RIVALS)), help="systems, separated by commas; can include host and any directory in runtime-images/target")
    parser.add_argument("--protocols", default=",".join(PROTOCOLS), help="http1, h2, grpc and tcp, separated by commas")
    parser.add_argument("--envoy", help="path of the envoy binary")
    parser.add_pin("a system")
    parser.add_busy()
    parser.add_argument("--json", type=Path, help="also write the figures of each round to this file")
    parser.add_reports()
    parser.add_quick(rounds=1, rate=100, connections=2, warmup=1, seconds=1.5, latency=1, closed=1, first=1, calls_warmup=3, stalled=0.5, idle=20, tunnel=0.5,
                     only=",".join((IMAGES[0], RIVALS[0])))
    return parser.parse(words)


def require_h2load() -> None:
    if not shutil.which("h2load"):
        raise CouldNotRun(f"no h2load, which drives the closed loops: {h2load.INSTALL}")


def run(options: argparse.Namespace) -> int:
    require_h2load()
    told = H2Comparison(described(options), peers.versions(RIVALS, options.envoy))
    return compare("compare-h2", told, options, benches_of, rounds)


def main(words: Sequence[str] | None = None) -> NoReturn:
    end_with("compare --what h2", lambda: run(read_arguments(words)))
