"""Further parts of a run over HTTP/2, gRPC or TCP than of one over HTTP/1.1: streams, calls, a stalled stream, connections at rest, and a tunnel's throughput."""
import socket
import time
from pathlib import Path
from typing import NamedTuple

from . import runs
from .arms import Bench, Running
from .errors import DidNotEnd, RequestsFailed
from .load import h2load
from .load.java_tools import HiccupMeter, LoadSession
from .machine import http2, jvm
from .runs import LEAD_S, SETTLE_S, Figures, Host, Load, none_failing, require_none_failed
from .systems import admin_pages

WARM_UP_S = 1
# Streams of a connection, in addition to one that stalls.
STREAMS_BESIDE = 99
STALL_WINDOWS = 2
# Share of the messages of a closed loop that must arrive; its end may cut the last ones.
COMPLETE = 0.98
LARGE = "/large"
LARGE_BYTES = 64 << 20
PIECE = 1 << 18
# Time for the last answer of a download, which begins within the time of the measurement.
LAST_ANSWER_S = 20.0


def fixed_rate(system: Running | None, bench: Bench, counted: int, load: Load, streams: int, session: LoadSession,
               hiccups: HiccupMeter) -> Figures:
    """A row of figures of the steady window over HTTP/2, as runs.fixed_rate has it; counted is the port of the backend that counts. Raises
    RequestsFailed."""
    port = bench.ports.front if system else bench.ports.backend
    session.begin_http2(load.rate, load.connections, streams, load.warmup, load.seconds, port, tls=bench.tls)
    return runs.steady_window(system, bench, load, session, hiccups, counted)


def own_latencies(bench: Bench, load: Load, streams: int, seconds: float, session: LoadSession, hiccups: HiccupMeter) -> Figures:
    """The sidecar's own clock in a window of its own, as it costs memory to ask. Raises RequestsFailed."""
    session.begin_http2(load.rate, load.connections, streams, WARM_UP_S, seconds)
    time.sleep(LEAD_S + WARM_UP_S)
    host = Host(hiccups, bench.work / "hiccups.hlog")
    session.begin_interval()
    answer = session.answer()
    session.end_interval()
    told = host.end()
    require_none_failed(answer["failed"])
    return {**runs.own_percentiles("own_", session),
            **{f"own_{key}": told[key] for key in ("hiccup_p99_us", "hiccup_p999_us")}}


class Loop(NamedTuple):
    """A closed loop: what is asked for, over how many connections and streams of each; call is the message of a unary call."""

    path: str
    connections: int
    streams: int
    call: Path | None = None


def load(bench: Bench, loop: Loop, seconds: float) -> h2load.Told:
    """Drives a closed loop through the system. Raises RequestsFailed and DidNotEnd."""
    told = h2load.closed_loop(bench.ports.front, loop.path, loop.connections, loop.streams, seconds, loop.call)
    require_answered(told, loop.call)
    return told


def loop(prefix: str, system: Running, bench: Bench, one: Loop, seconds: float) -> Figures:
    """Throughput and CPU per request with as many requests as the system answers; the CPU is that of h2load's whole life. Raises
    RequestsFailed and DidNotEnd."""
    before = system.cpu_seconds()
    told = load(bench, one, seconds)
    spent = system.cpu_seconds() - before
    return {f"{prefix}_rps": told.done / told.seconds, f"{prefix}_cpu_us": 1e6 * spent / told.done,
            f"{prefix}_rss_mb": system.sum_mb("VmHWM")}


def paid(prefix: str, system: Running) -> Figures:
    """Memory that nobody shares, and the working set of the system's cgroup where it has one, at the end of a load."""
    told = system.memory()
    return {f"{prefix}_{key}": told[key] for key in ("private_mb", "working_set_mb") if told.get(key) is not None}


def require_answered(told: h2load.Told, call: Path | None) -> None:
    """A call that fails has the HTTP status of one that does not, but brings no message. Raises RequestsFailed."""
    require_none_failed(told.failed)
    if not told.done:
        raise RequestsFailed("no request of the closed loop was answered")
    if call and told.content_bytes < COMPLETE * told.done * call.stat().st_size:
        raise RequestsFailed(f"{told.done} calls brought {told.content_bytes} bytes, which are not as many messages")


def prove_calls(bench: Bench, size: int, session: LoadSession) -> None:
    """That calls come back with their status, which h2load does not look at. Raises RequestsFailed."""
    session.begin_http2(100, 1, 4, 0, 0.5, kind=f"grpc:{size}", path=h2load.CALL)
    answer = session.answer()
    require_none_failed(answer["failed"])
    if not answer["requests"]:
        raise RequestsFailed("no call was answered")


def stalled(bench: Bench, rate: float, seconds: float, session: LoadSession, hiccups: HiccupMeter) -> Figures:
    """What one stream whose client takes nothing does to the others of its connection: windows with it and without, in turn. Raises
    RequestsFailed."""
    found: dict[bool, list[float]] = {False: [], True: []}
    host = Host(hiccups, bench.work / "hiccups.hlog")
    for number in range(2 * STALL_WINDOWS):
        with_it = number % 2 == 1
        session.begin_http2(rate, 1, STREAMS_BESIDE, WARM_UP_S, seconds, stall=LARGE if with_it else None)
        answer = session.answer()
        require_none_failed(answer["failed"])
        found[with_it].append(answer["p99_us"])
    without, beside = (sum(found[key]) / STALL_WINDOWS for key in (False, True))
    return {"unstalled_p99_us": without, "stalled_p99_us": beside, "stalled_above": 100 * (beside / without - 1),
            "stalled_hiccup_p99_us": host.end()["hiccup_p99_us"]}


def idle(system: Running, bench: Bench, count: int) -> Figures:
    """What the system's memory grows by for each connection that stays open once a request was answered on it. Raises RequestsFailed."""
    return runs.idle(system, count, http2.idle(bench.ports.front, count))


def idle_memory(system: Running, bench: Bench, count: int) -> Figures:
    """The same as the JVM has it, heap and direct memory, of a sidecar whose JVM can be asked; RSS is not to be compared any more. Raises
    RequestsFailed."""
    heap, direct = jvm.live_heap_bytes(system.sidecar.pid), direct_bytes(bench)
    with none_failing("an idle connection"), http2.idle(bench.ports.front, count):
        time.sleep(SETTLE_S)
        more_heap, more_direct = jvm.live_heap_bytes(system.sidecar.pid), direct_bytes(bench)
    found = {"idle_direct_kib": (more_direct - direct) / 1024 / count}
    if heap is None or more_heap is None:
        return found
    found["idle_heap_kib"] = (more_heap - heap) / 1024 / count
    return {**found, "idle_jvm_kib": found["idle_heap_kib"] + found["idle_direct_kib"]}


def direct_bytes(bench: Bench) -> float:
    return admin_pages.total(admin_pages.fetch(bench.ports.admin, "/metrics"), "remora_jvm_direct_memory_used_bytes") or 0.0


def tunnel(system: Running, bench: Bench, seconds: float) -> Figures:
    """What one connection carries from the backend to a client that takes all of it at once. Raises RequestsFailed."""
    with none_failing("a connection"), socket.create_connection(("127.0.0.1", bench.ports.front), 10) as connection:
        download(connection, seconds / 2)
        before, began = system.cpu_seconds(), time.monotonic()
        octets = download(connection, seconds)
        spent, lasted = system.cpu_seconds() - before, time.monotonic() - began
    return {"tcp_mb_s": octets / 1e6 / lasted, "tcp_cpu_ms": 1e9 * 1e3 * spent / octets, "tcp_cpu_share": spent / lasted,
            "tcp_rss_mb": system.sum_mb("VmHWM")}


def download(connection: socket.socket, seconds: float) -> int:
    """How many octets came until the first answer that ends behind that time. The kernel throws them away, so that no copy is measured. Raises DidNotEnd."""
    until, count = time.monotonic() + seconds, 0
    buffer = bytearray(PIECE)
    while time.monotonic() < until:
        connection.sendall(f"GET {LARGE} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        read_head(connection)
        left = LARGE_BYTES
        while left:
            got = connection.recv_into(buffer, min(left, PIECE), socket.MSG_TRUNC)
            if not got:
                raise ConnectionResetError("the connection ended")
            left -= got
            if time.monotonic() > until + LAST_ANSWER_S:
                raise DidNotEnd("download", seconds + LAST_ANSWER_S)
        count += LARGE_BYTES
    return count


def read_head(connection: socket.socket) -> None:
    """Reads the head of an answer and no more."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        octet = connection.recv(1)
        if not octet:
            raise ConnectionResetError("the connection ended in a head")
        head += octet
    if not head.startswith(b"HTTP/1.1 200 "):
        raise ConnectionResetError(head.split(b"\r\n")[0].decode(errors="replace"))
