"""Compares the sidecar's runtime images with Envoy and HAProxy without TLS, with TLS, with client certificates, and with HTTP/2 too, on both sides.

The sidecar uses AWS-LC, OpenSSL and the JDK's engine. As in compare, each round restarts all systems one after the other. The cost of TLS is relative to the same
system without TLS in the same round. The table shows missed targets, but they do not change the exit status.

Exit status: 0, 1 if a request failed or a load did not end, 3 if it could not run.
"""
import argparse
import contextlib
import functools
import os
import ssl
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from .. import arms, h2_runs, tls_runs
from ..command_line import Parser, described, end_with, say
from ..conformance.rig_parts import tls_engine
from ..contenders import Contender, LeftOut, Run, compare, in_rounds, present, require_known
from ..errors import CouldNotRun
from ..load import java_tools, key_exchange
from ..machine import cores, namespaces, processes
from ..repository import BUILT_IMAGES
from ..results.tls_comparison import AWS_LC, OPENSSL, About, TlsComparison
from ..runs import Load, fixed_rate
from ..systems import certificates, peers, sidecars
from ..systems.certificates import MODES, MTLS, MTLS_H2, OFF
from ..systems.configurations import PEERS as CONFIGURATIONS
from ..systems.configurations import Ports, write_config, write_configs

IMAGES = ("i386-client", "amd64-c1")
JDK = "JDK"
ENGINES = (AWS_LC, OPENSSL, JDK)
COMPARED = (*MODES, MTLS_H2)
PEERS = ("envoy", "haproxy")
LIBRARY = "libremora_tls.so"
# By name, so that the JVM's loader finds them where it does not look into that directory.
LIBRARIES = ("libcrypto.so.3", "libssl.so.3")


def libraries(words: str | None) -> dict[str, Path]:
    """Directories by image of IMAGE=DIRECTORY,... Raises CouldNotRun."""
    found = {}
    for word in words.split(",") if words else ():
        image, _, directory = word.partition("=")
        found[image] = Path(directory).resolve()
        if not directory or not (found[image] / LIBRARY).exists():
            raise CouldNotRun(f"--libraries {word}: it is IMAGE=DIRECTORY, and the directory has {LIBRARY}")
    return found


def sidecar_arm(bench: arms.Bench, about: About, rate: int, given: Mapping[str, Path]) -> arms.Arm:
    """By OpenSSL of a directory that was given, or of the image that has it, or of the image itself, as AWS-LC is; by the JDK's engine where the process finds no
    library."""
    image, java_options, variables, prefix = about.system, "", {}, list[str]()
    try:
        if about.engine == JDK:
            java_options, prefix = f"-Djava.library.path={bench.work / 'no-libraries'}", instead_of_library(image, Path(os.devnull))
        elif about.engine == OPENSSL and about.system in given:
            directory = given[about.system]
            java_options, prefix = f"-Djava.library.path={directory}", instead_of_library(image, directory / LIBRARY)
            variables["LD_PRELOAD"] = ":".join(str(directory / name) for name in LIBRARIES if (directory / name).exists())
        elif about.engine == OPENSSL and sidecars.is_image(about.system + sidecars.WITH_OPENSSL):
            image += sidecars.WITH_OPENSSL
    except CouldNotRun as why:
        return arms.Arm(about.name, missing=str(why))
    return arms.image_arm(bench, image, rate, java_options, variables, prefix=prefix)


def instead_of_library(image: str, file: Path) -> list[str]:
    """Command that starts an image with that file instead of its library for TLS. The JVM looks next to its own libraries before java.library.path, and
    a copy of the image without the library cannot use its archive of classes, which has the paths of the jars. Raises CouldNotRun."""
    if image in sidecars.CONTAINERS:
        raise CouldNotRun(f"{image} is a container, whose library for TLS cannot be replaced")
    library = BUILT_IMAGES / image / "runtime/lib" / LIBRARY
    return namespaces.with_file(file, library) if library.exists() else []


def contenders(benches: Mapping[str, arms.Bench], options: argparse.Namespace) -> list[Contender]:
    """In their order, in which the modes of a system follow on one another; those that cannot run are among them."""
    wanted, modes = options.only.split(","), options.modes.split(",")
    systems = [*IMAGES, *(name for name in wanted if name not in IMAGES and sidecars.is_image(name)), *PEERS]
    for name, asked, known in (("--only", wanted, systems), ("--modes", modes, COMPARED)):
        require_known(name, asked, known)
    found, given = [], libraries(options.libraries)
    for about in (one for system in systems if system in wanted for one in abouts_of(system) if one.mode in modes):
        bench = benches.get(about.mode, benches[OFF])
        arm = peer_arm(bench, about, options.envoy) if about.system in PEERS else sidecar_arm(bench, about, options.rate, given)
        if about.mode == MTLS_H2 and options.backend != "nginx":
            arm = arms.Arm(about.name, missing="the bundled backend does not negotiate HTTP/2: apt-get install nginx")
        found.append(Contender(about, arm, bench))
    return found


def abouts_of(system: str) -> list[About]:
    engines = ("",) if system in PEERS else ENGINES
    return [About(system, "", OFF), *(About(system, engine, mode) for engine in engines for mode in COMPARED[1:])]


def peer_arm(bench: arms.Bench, about: About, envoy: str | None) -> arms.Arm:
    peer = next(peer for peer in peers.PEERS if peer.name == about.system)
    return arms.peer_arm(bench, peer, peers.program(peer.name, envoy))


@contextlib.contextmanager
def benches_of(work: Path, options: argparse.Namespace) -> Iterator[dict[str, arms.Bench]]:
    """A bench for each mode: the same work folder, certificates and ports of the systems, but a backend of its own."""
    java_tools.require_built()
    tls = certificates.make(MTLS, work)
    if tls and MTLS in options.modes.split(","):
        say(f"making {options.certificates} client certificates")
        certificates.make_clients(tls, options.certificates)
    front, admin, *backends = processes.free_ports(2 + len(COMPARED))
    with contextlib.ExitStack() as started:
        log = started.enter_context(open(work / "tools.log", "wb"))
        made = {}
        for mode, port in zip(COMPARED, backends):
            ports = Ports(front, port, admin)
            secured = tls._replace(mode=mode) if tls and mode != OFF else None
            made[mode] = arms.Bench(work, ports, processes.default_java_home(), log, secured)
            if mode == MTLS_H2 and options.backend != "nginx":
                continue
            if mode == MTLS_H2:
                for path in sorted((CONFIGURATIONS / MTLS_H2).iterdir()):
                    write_config(f"{MTLS_H2}/{path.name}", work, ports)
            else:
                write_configs(work, ports, options.body, mode)
            started.enter_context(arms.backend(made[mode], options.backend, options.body))
        yield made


class Clients(NamedTuple):
    """Who makes handshakes: contexts of distinct clients, and the client with X25519MLKEM768 where there is one."""

    distinct: Sequence[ssl.SSLContext] = ()
    hybrid: key_exchange.Program | None = None


def clients_of(bench: arms.Bench) -> Clients:
    distinct = [tls_runs.limited(context) for context in bench.tls.clients()] if bench.tls else []
    return Clients(distinct, key_exchange.compiled(bench.work) if distinct else None)


def measure(one: Contender, options: argparse.Namespace, session: java_tools.LoadSession, hiccups: java_tools.HiccupMeter,
            own_cores: set[int], clients: Clients) -> dict[str, Any]:
    """A row of figures of one run. What takes memory to ask for comes behind the memory. Raises RequestsFailed, DidNotEnd, and LeftOut where TLS is by another engine than its arm is about."""
    about, bench = one.about, one.bench
    load = (options.rate, options.connections)
    over_http2 = about.mode == MTLS_H2
    with arms.running(one.arm, bench.ports, bench.trusting(over_http2), own_cores, over_http2, charged=True) as system:
        row = {"start_s": system.start_s, "bits": tls_runs.bits(system)}
        if about.engine and tls_engine(system.sidecar.written()) != about.engine:
            raise LeftOut(f"{about.name}: the sidecar's TLS is not by {about.engine}" + (
                ", of which the image has no library; --libraries names a directory" if about.engine == OPENSSL else
                ", which the image has not" if about.engine == AWS_LC else ""))
        steady = Load(*load, options.warmup, options.seconds)
        if over_http2:
            row.update(h2_runs.fixed_rate(system, bench, bench.ports.backend, steady, options.streams, session, hiccups))
            return {**row, **tls_runs.idle_http2(system, bench, options.idle)}
        row.update(fixed_rate(system, bench, steady, session, hiccups))
        has_own = about.system not in PEERS
        row.update(tls_runs.latencies("steady", bench, *load, options.latency, session, hiccups, has_own))
        if about.mode == MTLS:
            row.update(tls_runs.latencies("new", bench, *load, options.latency, session, hiccups, has_own, options.newcomers))
        row.update(tls_runs.closed_loop(system, bench, options.connections, options.closed, session))
        if about.mode == MTLS:
            row.update(tls_runs.handshakes(system, bench, options.handshakes, clients.distinct))
            row.update(tls_runs.resumed(system, bench, options.handshakes, must_resume=has_own))
            row.update(tls_runs.hybrid(system, bench, options.handshakes, clients.hybrid))
            row.update(tls_runs.idle(system, bench, options.idle))
    return row


def rounds(benches: Mapping[str, arms.Bench], options: argparse.Namespace, told: TlsComparison, save: Callable[[], None],
           own_cores: set[int]) -> None:
    """Fills a comparison, and has it saved after every run."""
    there = present(contenders(benches, options), told)
    plain = benches[OFF]
    with java_tools.LoadSession(plain.work, plain.java_home, plain.log, plain.ports) as session, \
            java_tools.HiccupMeter(plain.java_home, plain.log) as hiccups:
        hiccups.prepare(lambda: cores.move(hiccups.process.pid, os.sched_getaffinity(0) | own_cores))  # it speaks for the whole host

        def warm_up() -> None:
            for mode, bench in benches.items():
                begin = session.begin if mode != MTLS_H2 else functools.partial(session.begin_http2, streams=options.streams)
                begin(rate=options.rate, connections=options.connections, warmup=1, seconds=max(1, options.warmup / 2), port=bench.ports.backend, tls=bench.tls)
                session.answer()

        session.prepare(warm_up)
        clients = clients_of(benches[MTLS])

        def run(one: Contender) -> Run:
            return Run(one.about.name, lambda: measure(one, options, session, hiccups, own_cores, clients), lambda number, row: told.add(number, one.about, row),
                       lambda why: leave_out(told, one.about, why))

        in_rounds(options.rounds, lambda _: [run(one) for one in there if one.about.name not in told.left_out], told, save, (session, hiccups))


def leave_out(told: TlsComparison, about: About, why: str) -> None:
    told.arms.pop(about.name, None)
    told.left_out[about.name] = why


def read_arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    parser = Parser("compare --what tls", __doc__)
    parser.add_load(2, 16, "that stay, at the fixed rate and in the closed loop")
    arms.add_backend_arguments(parser)
    parser.add_argument("--warmup", type=float, default=4, help="seconds")
    parser.add_argument("--seconds", type=float, default=5, help="seconds of the window for memory and CPU at the fixed rate")
    parser.add_argument("--latency", type=float, default=5, help="seconds of each window for latencies")
    parser.add_argument("--newcomers", type=float, default=100, help="new connections per second in addition to the steady ones")
    parser.add_argument("--closed", type=float, default=3, help="seconds of closed loop")
    parser.add_argument("--handshakes", type=float, default=3, help="seconds of consecutive handshakes of each other kind")
    parser.add_argument("--certificates", type=int, default=1000, help="number of distinct clients with a full handshake each")
    parser.add_argument("--streams", type=int, default=4, help="concurrent streams on each HTTP/2 connection")
    parser.add_argument("--idle", type=int, default=1000, help="number of idle connections")
    parser.add_argument("--only", default=",".join((*IMAGES, *PEERS)), help="systems, separated by commas; can include host and any directory in runtime-images/target")
    parser.add_argument("--modes", default=",".join(COMPARED), help="off, tls, mtls and mtls-h2 (with HTTP/2 on both sides), separated by commas")
    parser.add_argument("--libraries", help="IMAGE=DIRECTORY,...: directories with libremora_tls.so, and OpenSSL's libraries if the image has none")
    parser.add_argument("--envoy", help="path of the envoy binary")
    parser.add_pin("a system")
    parser.add_busy()
    parser.add_argument("--json", type=Path, help="also write the figures of each round to this file")
    parser.add_reports()
    parser.add_quick(rounds=1, rate=100, connections=2, warmup=1, seconds=1.5, latency=0.5, newcomers=5, closed=0.5, handshakes=0.3, certificates=20, idle=20,
                     only=",".join((IMAGES[0], PEERS[0])), modes=",".join((OFF, MTLS, MTLS_H2)))
    return parser.parse(words)


def run(options: argparse.Namespace) -> int:
    told = TlsComparison(described(options), peers.versions(PEERS, options.envoy))
    return compare("compare-tls", told, options, benches_of, rounds)


def main(words: Sequence[str] | None = None) -> NoReturn:
    end_with("compare --what tls", lambda: run(read_arguments(words)))
