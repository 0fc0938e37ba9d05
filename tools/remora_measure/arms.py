"""The systems of a measurement, each started again for every run of it."""
import argparse
import contextlib
import os
import shutil
import ssl
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

from .errors import CouldNotRun
from .load import java_tools
from .machine import cgroups, children, cores, kernel, page_cache, processes
from .profiles.runtime_images import start_words
from .systems import peers, sidecars
from .systems.certificates import OFF, Tls
from .systems.configurations import ADDRESSES, Ports, write_configs

# Behind the name of an image, with the configuration that is for it: several endpoints and all that is about them; tracing, limits and actions on requests.
WITH_MESH, WITH_FEATURES = "+mesh", "+features"
VARIANTS = {WITH_MESH: "remora-mesh.yaml", WITH_FEATURES: "remora-features.yaml"}
# The machine's own JDK with the JVM's default options, by Finagle's engine, where the origin began, and by the default one.
FINAGLE_BEFORE, BEFORE = "finagle before", "before"


class Arm(NamedTuple):
    """A system by name. start() returns one that may not listen yet, in a cgroup of ours where it is given one; missing says why it cannot run, and what would
    help. files() are the programs and folders that it reads and that are not the machine's own."""

    name: str
    start: Callable[..., sidecars.Sidecar] | None = None
    missing: str | None = None
    files: Callable[[], Sequence[Path]] = lambda: ()


class Bench(NamedTuple):
    """What every arm of a measurement shares. log takes what the tools write; tls is there where clients and the backend speak TLS."""

    work: Path
    ports: Ports
    java_home: str
    log: BinaryIO
    tls: Tls | None = None

    def trusting(self, is_http2: bool = False) -> ssl.SSLContext | None:
        """Of a client that knows the authority; None without TLS."""
        return self.tls.context(is_http2) if self.tls else None


def image_arm(bench: Bench, image: str, rps: int, java_options: str = "", variables: Mapping[str, str] | None = None,
              configuration: str | None = None, prefix: Sequence[str] = ()) -> Arm:
    """The sidecar on a runtime image, or on the machine's own JDK (host), with the profile for that rate. A configuration by name may refer to
    files of the bench's folder. prefix is a command that starts it."""
    try:
        sidecars.require_image(image)
    except CouldNotRun as why:
        return Arm(image, missing=str(why))
    config = bench.work / (configuration or (bench.tls.configuration if bench.tls else "remora.yaml"))
    output, folder = bench.work / f"{image}.log", bench.work if configuration or bench.tls else None
    return Arm(image, lambda group=None: sidecars.start(image, config, max(1, rps), bench.java_home, output,
                                                        sidecars.Given(java_options, folder, variables, group=group, prefix=prefix)),
               files=lambda: sidecars.files(image))


def before_arm(bench: Bench, name: str) -> Arm:
    """The sidecar without an image and a profile: FINAGLE_BEFORE or BEFORE."""
    image = sidecars.with_engine(sidecars.HOST, sidecars.FINAGLE if name == FINAGLE_BEFORE else sidecars.NETTY)
    try:
        sidecars.require_image(image)
    except CouldNotRun as why:
        return Arm(name, missing=str(why))
    words = [*start_words(image), "run", "--config", str(bench.work / "remora.yaml"), *sidecars.ON_HOST[image]]
    return command_arm(bench, name.replace(" ", "-"), [f"{bench.java_home}/bin/java", *words])._replace(name=name)


def variant_arm(bench: Bench, image: str, variant: str, rps: int) -> Arm:
    """The sidecar with something switched on, one of VARIANTS."""
    return image_arm(bench, image, rps, configuration=VARIANTS[variant])._replace(name=image + variant)


def command_arm(bench: Bench, name: str, command: Sequence[str], environment: Mapping[str, str] | None = None) -> Arm:
    """Any other command."""
    return Arm(name, lambda group=None: sidecars.Process("command", name, command, bench.work / f"{name}.log", environment, group))


def peer_arms(bench: Bench, envoy: str | None = None) -> list[Arm]:
    """Envoy, HAProxy and nginx, each with its minimal configuration and one worker."""
    return [peer_arm(bench, peer, peers.program(peer.name, envoy)) for peer in peers.PEERS]


def peer_arm(bench: Bench, peer: peers.Peer, program: str | None) -> Arm:
    if not program:
        return Arm(peer.name, missing=f"{peer.name} is not installed: {peer.install}")
    arm = command_arm(bench, peer.name, peer.command(program, bench.work, bench.tls.mode if bench.tls else OFF))
    return arm._replace(files=lambda: [Path(program)])


def add_backend_arguments(parser: argparse.ArgumentParser) -> None:
    installed = "nginx" if shutil.which("nginx") else "bundled"
    parser.add_argument("--backend", choices=("nginx", "bundled"), default=installed, help="backend program (default: nginx if it is installed)")
    parser.add_argument("--body", type=int, default=1024, help="size of each response in bytes")


@contextlib.contextmanager
def backend(bench: Bench, kind: str, body_bytes: int) -> Iterator[None]:
    """The application behind every arm."""
    if kind == "nginx":
        nginx = peers.start_nginx_backend(bench.work, bench.log, bench.ports, bench.tls)
        try:
            yield
        finally:
            children.stop(nginx)
    else:
        with java_tools.Backend(bench.java_home, bench.log, bench.ports.backend, java_tools.Answers(body_bytes), bench.tls, java_tools.Place(ADDRESSES)):
            yield


class Running:
    """An arm that has answered: its first process and that process's children, which nginx has. Sums are over all of them. group is the memory cgroup that is
    charged for them alone, if there is one; cold is true where its files were out of the kernel's cache when it started."""

    def __init__(self, sidecar: sidecars.Sidecar, start_s: float, group: cgroups.Group | None = None, cold: bool = False) -> None:
        self.sidecar, self.start_s, self.group, self.cold = sidecar, start_s, group, cold

    def pids(self) -> list[int]:
        return kernel.descendants(self.sidecar.pid)

    def cpu_seconds(self) -> float:
        return sum(map(kernel.cpu_seconds, self.pids()))

    def sum_mb(self, key: str) -> float:
        return sum(kernel.status(pid, key) for pid in self.pids())

    def rollup_mb(self, of: Callable[[Mapping[str, float]], float]) -> float | None:
        """The sum of a figure of /proc/PID/smaps_rollup; None where this user may not look."""
        told = [kernel.rollup(pid) for pid in self.pids()]
        return None if None in told else sum(of(one) for one in told if one is not None)

    def memory(self) -> dict[str, float | None]:
        """In MB. All but the peak are those of now, so that parts do not add up to the peak. The working set is there only in a cgroup of its own."""
        sums = {name: self.sum_mb(key) for name, key in (("peak_rss_mb", "VmHWM"), ("anon_mb", "RssAnon"), ("file_mb", "RssFile"))}
        pss = self.rollup_mb(lambda told: told.get("Pss", 0.0))
        if not self.group:
            return {**sums, "pss_mb": pss, "private_mb": self.rollup_mb(kernel.private)}
        return {**sums, "pss_mb": pss, "private_mb": self.group.private() / 1e6, "working_set_mb": self.group.used() / 1e6, "cgroup": self.group.version,
                "cold": self.cold}


@contextlib.contextmanager
def running(arm: Arm, ports: Ports, trusting: ssl.SSLContext | None = None, own_cores: set[int] | None = None,
            by_http2: bool = False, charged: bool = False) -> Iterator[Running]:
    """An arm that has passed a request on, over TLS where somebody is trusting; it is ended afterwards.

    With cores of its own it is moved there once it has answered: a JVM sizes itself by the cores that it starts on. One that is to be charged has a memory cgroup
    of its own, where this user may make one, and its files are dropped from the kernel's cache before it starts."""
    processes.require_free(ports.front, ports.admin)
    if not arm.start:
        raise CouldNotRun(arm.missing or f"{arm.name} cannot be started")
    with contextlib.ExitStack() as ending:
        own = cgroups.own_if_allowed("remora-arm") if charged else None
        if own:
            ending.callback(own.end)
        cold = own is not None and page_cache.evict_each(arm.files())
        with cores.kept_to(os.sched_getaffinity(0) | (own_cores or set())):
            sidecar = arm.start(own) if own else arm.start()
        ending.callback(sidecar.stop)
        seconds = sidecars.wait_until_it_answers(sidecar, ports.front, tls=trusting, by_http2=by_http2)
        if own_cores:
            cores.move(sidecar.pid, own_cores)
        yield Running(sidecar, seconds, cgroups.charged_to(sidecar.pid) if own and sidecar.kind == sidecars.Container.kind else own, cold)


@contextlib.contextmanager
def bench(work: Path, backend_kind: str, body_bytes: int) -> Iterator[Bench]:
    """A folder of configurations, ports that are free, and the backend; the tools must be built."""
    java_tools.require_built()
    ports = Ports(*processes.free_ports(3))
    write_configs(work, ports, body_bytes)
    with open(work / "tools.log", "wb") as log:
        made = Bench(work, ports, processes.default_java_home(), log)
        with backend(made, backend_kind, body_bytes):
            yield made
