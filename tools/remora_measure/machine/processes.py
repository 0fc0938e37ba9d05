"""Processes and ports of this machine."""
import http.client
import os
import random
import shutil
import socket
import ssl
import subprocess
import sys
import time
from pathlib import Path

from ..errors import DidNotEnd
from . import children

LOWEST_PORT = 10_000
ENOUGH_PORTS = 1_000


def default_java_home() -> str:
    java = shutil.which("java")
    return os.environ.get("JAVA_HOME") or (str(Path(java).resolve().parent.parent) if java else sys.exit("no JAVA_HOME, and no java"))


def free_ports(count: int) -> list[int]:
    """
    Ports that nothing listens on, no two the same.

    They are below those that the kernel gives to connections: one of these may be taken by any process's next connection before
    its user has bound it. Where the kernel begins lower than that, they are any.
    """
    below = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    candidates = range(LOWEST_PORT, below) if below > LOWEST_PORT + ENOUGH_PORTS else range(LOWEST_PORT, 65_536)
    ports: list[int] = []
    for port in random.sample(candidates, ENOUGH_PORTS):
        if len(ports) < count and is_free(port):
            ports.append(port)
    if len(ports) < count:
        sys.exit(f"{len(ports)} of {count} ports are free")
    return ports


def is_free(port: int) -> bool:
    """Whether it can be bound on all addresses."""
    try:
        socket.create_server(("", port)).close()
        return True
    except OSError:
        return False


def listens(port: int, host: str = "127.0.0.1") -> bool:
    try:
        socket.create_connection((host, port), 0.2).close()
        return True
    except OSError:
        return False


def require_free(*ports: int) -> None:
    for port in ports:
        if listens(port):
            sys.exit(f"port {port} is in use")


def wait_for(port: int, seconds: float = 20, process: subprocess.Popen | None = None, host: str = "127.0.0.1") -> None:
    deadline = time.monotonic() + seconds
    while not listens(port, host):
        if time.monotonic() > deadline or (process and process.poll() is not None):
            sys.exit(f"nothing listens on port {port}")
        time.sleep(0.02)


def answers(port: int, tls: ssl.SSLContext | None = None) -> bool:
    """Whether a request to that port is answered with 200; over TLS where there is a context for it."""
    connection = (http.client.HTTPSConnection("127.0.0.1", port, timeout=2, context=tls) if tls
                  else http.client.HTTPConnection("127.0.0.1", port, timeout=2))
    try:
        connection.request("GET", "/body")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def first_line(program: str, *words: str) -> str | None:
    """The first line that a program prints, without the place where it lies; None where it does not start."""
    try:
        told = children.run([program, *words], 10, capture_output=True, text=True)
    except (OSError, DidNotEnd):
        return None
    line = next(iter((told.stdout + told.stderr).strip().splitlines()), None)
    return line and line.replace(f"{Path(program).parent}/", "")
