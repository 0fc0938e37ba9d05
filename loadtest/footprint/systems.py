"""The systems that are measured, their configurations (the folder peers), and the nginx that stands behind them in comparisons."""
import importlib.util
import os
import shutil
import string
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from . import processes
from .processes import LOADTEST

PEERS = LOADTEST / "peers"


class Ports(NamedTuple):
    front: int
    backend: int
    admin: int


FIXED = Ports(18080, 18081, 19990)


def write_config(name, work, ports):
    """A configuration of the folder peers, filled in; its path."""
    text = string.Template((PEERS / name).read_text()).substitute(ports._asdict(), work=work)
    path = work / name
    path.write_text(text)
    return path


def write_configs(work, ports=FIXED, body_bytes=1024):
    for name in os.listdir(PEERS):
        write_config(name, work, ports)
    work.chmod(0o755)  # nginx's worker may run as another user
    (work / "www").mkdir(exist_ok=True)
    (work / "www/body").write_bytes(b"x" * body_bytes)


def start_backend(work, log, ports=FIXED):
    processes.require_free(ports.backend)
    nginx = subprocess.Popen(["nginx", "-c", work / "backend.conf"], stdout=log, stderr=log)
    try:
        processes.wait_for(ports.backend, process=nginx)
        if not processes.answers(ports.backend):
            sys.exit("the backend does not answer with 200: its log is in " + str(work / "nginx.err"))
    except BaseException:
        processes.stop(nginx)
        raise
    return nginx


def envoy_program(given=None):
    """The binary itself: what its Python package puts on the PATH is a wrapper, which would be measured in its place."""
    package = importlib.util.find_spec("envoy")
    if given or not package or not package.submodule_search_locations:
        return given or shutil.which("envoy")
    binary = Path(package.submodule_search_locations[0]) / "_bin/envoy"
    return str(binary) if os.access(binary, os.X_OK) else shutil.which("envoy")


def envoy_command(program, work):
    return [program, "-c", str(work / "envoy.yaml"), "--concurrency", "1", "-l", "error"]


def haproxy_command(program, work):
    return [program, "-db", "-f", str(work / "haproxy.cfg")]


def nginx_command(program, work):
    """With its master process, which takes memory and CPU as well."""
    return [program, "-c", str(work / "nginx.conf")]
