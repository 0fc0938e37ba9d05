"""Measures the cost of HTTP/2 floods for a sidecar. Each flood runs for some seconds, with several clients that start again when they are disconnected.

For each flood, the program reports the maximum memory of the process and its heap, its CPU time, the CPU time of the clients, the bytes that they sent, and
the slowest request of another client during the flood. The sidecar is restarted for each flood, so that its memory is not affected by a previous one.

Exit status: 0, 1 if a sidecar exited or did not serve another client, 3 if it could not run.
"""
import argparse
import contextlib
import json
import os
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from ..command_line import Parser, described, end_with, new_folder, say
from ..errors import CouldNotRun
from ..load import java_tools
from ..machine import children, kernel, processes
from ..machine.http2 import field, length
from ..markdown import aligned_table
from ..systems import admin_pages, sidecars

DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = 0, 1, 2, 3, 4, 6, 7, 8, 9
END_STREAM, END_HEADERS = 1, 4
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
BATCH = 100
WARM_REQUESTS = 2_000
BODY_BYTES = 64 << 10
POLL_S = 0.1
HOLD_S = 60.0
SEND_S = 1.0
# Time of the clients to end beyond that of their flood, and to say what they did.
TALLY_S = 90.0
CONFIGURATION = """\
admin: {{ address: "127.0.0.1:{admin}" }}
listeners:
  - {{ name: front, address: "127.0.0.1:{front}", cluster: app, protocol: auto }}
clusters:
  app: {{ endpoints: ["127.0.0.1:{backend}"] }}
"""


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    return struct.pack(">I", len(payload))[1:] + bytes((kind, flags)) + struct.pack(">I", stream) + payload


def head(method: str, *more: tuple[str, str]) -> bytes:
    usual = ((":method", method), (":scheme", "http"), (":authority", "app"), (":path", "/body"))
    return b"".join(field(*one) for one in (*usual, *more))


GET, POST = head("GET"), head("POST")


def get(stream: int) -> bytes:
    return frame(HEADERS, END_HEADERS | END_STREAM, stream, GET)


def post(stream: int) -> bytes:
    return frame(HEADERS, END_HEADERS, stream, POST)


def number(value: int) -> bytes:
    return struct.pack(">I", value)


def bomb(stream: int) -> bytes:
    """An entry of the table that is named again and again."""
    entry = b"\x40\x01x" + length(4_000) + b"a" * 4_000
    return frame(HEADERS, END_HEADERS | END_STREAM, stream, GET + entry + bytes((0x80 | 62,)) * 10_000)


# Octets for one stream each, sent for as long as they are taken.
BY_STREAM: dict[str, Callable[[int], bytes]] = {
    "rapid reset": lambda stream: get(stream) + frame(RST_STREAM, 0, stream, number(8)),
    "resets by the server by windows": lambda stream: post(stream) + frame(WINDOW_UPDATE, 0, stream, number(0x7fffffff)),
    "resets by the server by heads": lambda stream: frame(HEADERS, END_HEADERS, stream, head("POST", ("X", ""))),
    "PING": lambda _: frame(PING, 0, 0, bytes(8)),
    "SETTINGS": lambda _: frame(SETTINGS, 0, 0, struct.pack(">HI", 4, 65_535)),
    "PRIORITY": lambda stream: frame(PRIORITY, 0, stream, number(0) + b"\x10"),
    "WINDOW_UPDATE": lambda _: frame(WINDOW_UPDATE, 0, 0, number(1)),
    "unknown frames": lambda _: frame(0x77, 0, 0, bytes(4)),
    "empty DATA": lambda stream: (post(1) if stream == 1 else b"") + frame(DATA, 0, 1),
    "empty CONTINUATION": lambda stream: (frame(HEADERS, END_STREAM, 1, GET) if stream == 1 else b"") + frame(CONTINUATION, 0, 1),
    "CONTINUATION without end": lambda stream: (frame(HEADERS, END_STREAM, 1, GET) if stream == 1 else b"")
    + frame(CONTINUATION, 0, 1, field("x", "a" * 16_000)),
    "header bombs": bomb,
}
# Frames that a client sends once, before it waits and reads nothing.
HELD: dict[str, Callable[[], bytes]] = {
    "unfinished heads": lambda: frame(HEADERS, END_STREAM, 1, GET + field("x", "a" * 16_000)),
    "unfinished frames": lambda: frame(HEADERS, END_STREAM | END_HEADERS, 1, GET + field("x", "a" * 16_000))[:-1],
    "streams without end": lambda: b"".join(post(stream) + frame(DATA, 0, stream, bytes(600)) for stream in range(1, 200, 2)),
    "readers that do not read": lambda: frame(SETTINGS, 0, 0, struct.pack(">HI", 4, 0x7fffffff)) + frame(WINDOW_UPDATE, 0, 0, number(0x7fff0000))
    + b"".join(get(stream) for stream in range(1, 200, 2)),
}


class Clients:
    """Threads of this process that flood, each with one connection after the other."""

    def __init__(self, name: str, port: int, count: int) -> None:
        self.name, self.port, self.sent, self.connections = name, port, 0, 0
        self.ends = threading.Event()
        self.threads = [threading.Thread(target=self.flood, daemon=True) for _ in range(count)]
        for thread in self.threads:
            thread.start()

    def flood(self) -> None:
        while not self.ends.is_set():
            try:
                with socket.create_connection(("127.0.0.1", self.port), 5) as connection:
                    # a server that reads no more is not waited for
                    connection.settimeout(SEND_S)
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    self.connections += 1
                    self.send(connection, PREFACE + frame(SETTINGS, 0, 0))
                    (self.hold if self.name in HELD else self.stream)(connection)
            except OSError:
                pass

    def send(self, connection: socket.socket, octets: bytes) -> None:
        connection.sendall(octets)
        self.sent += len(octets)

    def stream(self, connection: socket.socket) -> None:
        unit = BY_STREAM[self.name]
        for first in range(1, 1_000_000, 2 * BATCH):
            if self.ends.is_set():
                return
            self.send(connection, b"".join(unit(stream) for stream in range(first, first + 2 * BATCH, 2)))
            self.drop_what_came(connection)

    @staticmethod
    def drop_what_came(connection: socket.socket) -> None:
        connection.settimeout(0)
        try:
            while connection.recv(1 << 16):
                pass
            raise ConnectionResetError
        except BlockingIOError:
            connection.settimeout(SEND_S)

    def hold(self, connection: socket.socket) -> None:
        self.send(connection, HELD[self.name]())
        began = time.monotonic()
        while not self.ends.wait(POLL_S) and time.monotonic() - began < HOLD_S:
            self.drop_end(connection)

    @staticmethod
    def drop_end(connection: socket.socket) -> None:
        """Raises OSError once the connection has ended; reads nothing."""
        if connection.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
            raise ConnectionResetError
        state = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0]
        if state != 1:
            raise ConnectionResetError

    def end(self) -> None:
        self.ends.set()
        for thread in self.threads:
            thread.join(10)


def other_client(port: int) -> float:
    """How long a request took, in ms; infinite for one that failed."""
    began = time.monotonic()
    return 1e3 * (time.monotonic() - began) if processes.answers(port) else float("inf")


def attack(name: str, port: int, count: int, seconds: float) -> None:
    """In a process of its own, whose time is the clients'; tells what it did."""
    clients = Clients(name, port, count)
    time.sleep(seconds)
    clients.end()
    print(json.dumps({"sent_mb": clients.sent / 1e6, "connections": clients.connections, "client_cpu_s": sum(os.times()[:2])}))


def measure(name: str | None, options: argparse.Namespace, backend: int, work: Path) -> dict[str, Any]:
    """A row of figures; without a name, of nobody's flood."""
    front, admin = processes.free_ports(2)
    config = work / "remora.yaml"
    config.write_text(CONFIGURATION.format(front=front, admin=admin, backend=backend))
    sidecar = sidecars.start(options.image, config, options.rate, processes.default_java_home(), work / "sidecar.log")
    try:
        sidecars.wait_until_it_answers(sidecar, front)
        for _ in range(WARM_REQUESTS // 10):
            other_client(front)
        before = kernel.cpu_seconds(sidecar.pid)
        command = [sys.executable, "-m", __spec__.name, "--attack", name or "", "--port", str(front), "--clients", str(options.clients),
                   "--seconds", str(options.seconds)]
        attacker = children.start(command, stdout=subprocess.PIPE, text=True) if name else None
        rss = heap = slowest = 0.0
        ends = time.monotonic() + options.seconds
        while time.monotonic() < ends and sidecar.alive():
            rss = max(rss, kernel.status(sidecar.pid, "VmRSS"))
            with contextlib.suppress(OSError):  # one that does not answer is judged by its users, and one that has ended at the end
                heap = max(heap, admin_pages.total(admin_pages.fetch(admin, "/metrics"), "remora_jvm_heap_used_bytes") or 0)
            slowest = max(slowest, other_client(front))
            time.sleep(POLL_S)
        row = {"rss_mb": rss, "heap_mb": heap / 1e6, "slowest_ms": slowest}
        row["alive"] = sidecar.alive() and other_client(front) < float("inf")
        row["cpu_s"] = kernel.cpu_seconds(sidecar.pid) - before if sidecar.alive() else float("nan")
        if attacker:
            row.update(json.loads(children.finish(attacker, options.seconds + TALLY_S, "flood")[0]))
        return row
    finally:
        sidecar.stop()


def read_arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    parser = Parser("floods", __doc__)
    parser.add_argument("--image", default="i386-client")
    parser.add_argument("--rate", type=int, default=1000, help="requests per second for which the launcher selects the profile")
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=10, help="seconds of each flood")
    parser.add_argument("--only", default="", help="floods, separated by commas")
    parser.add_argument("--attack", help=argparse.SUPPRESS)
    parser.add_argument("--port", type=int, help=argparse.SUPPRESS)
    parser.add_reports()
    return parser.parse_args(words)


def run(options: argparse.Namespace) -> int:
    if options.attack:
        attack(options.attack, options.port, options.clients, options.seconds)
        return 0
    java_tools.require_built()
    sidecars.require_image(options.image)
    names = wanted(options.only)
    found: dict[str, dict[str, Any]] = {}
    directory = new_folder(options.reports, "floods")
    with tempfile.TemporaryDirectory(prefix="floods.") as work, open(Path(work, "tools.log"), "wb") as log:
        port = processes.free_ports(1)[0]
        with java_tools.Backend(processes.default_java_home(), log, port, java_tools.Answers(BODY_BYTES)):
            for name in (None, *names):
                found[name or "none"] = measure(name, options, port, Path(work))
                say(f"{name}: " + json.dumps(found[name or "none"]))
    text = table(found)
    (directory / "floods.json").write_text(json.dumps({**kernel.when_and_where(), "options": described(options), "runs": found}, indent=1))
    (directory / "floods.md").write_text(text + "\n")
    print(text)
    return status(found)


def status(found: dict[str, dict[str, Any]]) -> int:
    """1 where a sidecar ended, or another client's request failed."""
    return 0 if all(row["alive"] and row["slowest_ms"] < float("inf") for row in found.values()) else 1


def wanted(only: str) -> list[str]:
    """Raises CouldNotRun where there is no flood of a name."""
    known = (*BY_STREAM, *HELD)
    if unknown := set(only.split(",")) - {"", *known}:
        raise CouldNotRun(f"there is no flood {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    return [name for name in known if not only or name in only.split(",")]


def table(found: dict[str, dict[str, Any]]) -> str:
    columns = (("rss_mb", "RSS, MB", 1), ("heap_mb", "heap, MB", 1), ("cpu_s", "CPU, s", 1), ("client_cpu_s", "CPU of the clients, s", 1),
               ("sent_mb", "sent, MB", 1), ("connections", "connections", 0), ("slowest_ms", "slowest other request, ms", 0))
    lines = [[name, *(f"{row[key]:,.{places}f}" if key in row else "" for key, _, places in columns)] for name, row in found.items()]
    return aligned_table(["flood", *(heading for _, heading, _ in columns)], lines)


def main(words: Sequence[str] | None = None) -> NoReturn:
    end_with("floods", lambda: run(read_arguments(words)))


if __name__ == "__main__":
    main()
